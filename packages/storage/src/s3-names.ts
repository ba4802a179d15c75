/** Names of buckets, as S3 and services like it allow them (older buckets have capitals and underscores). */
export const BUCKET_NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{1,62}$/

export const REGION_NAME = /^[a-z0-9-]{1,64}$/i
