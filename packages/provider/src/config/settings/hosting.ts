import * as parse from '../parsers/index.js'
import { setting } from '../setting.js'

/** Files that this service hosts for publishers. */
export const HOSTING = {
  HOSTING: setting({
    parse: parse.oneOf('off', 'local', 's3'),
    default: 'off' as const,
    doc: 'Whether publishers may upload files to this service, and where they are kept: off, local (in HOSTING_DIR), or s3 (in HOSTING_S3_BUCKET).',
  }),
  HOSTING_DIR: setting({
    parse: parse.folder,
    default: './tidegate-files',
    doc: 'Folder of the hosted files, created if missing. Instances on one database must share it.',
  }),
  HOSTING_S3_BUCKET: setting({
    parse: parse.bucket,
    doc: 'Bucket of the hosted files. Required with HOSTING=s3. No other service may write below its prefix.',
    example: 'tidegate-files',
  }),
  HOSTING_S3_PREFIX: setting({
    parse: parse.keyPrefix,
    default: '',
    doc: 'What the keys of hosted files begin with in the bucket.',
    example: 'hosted/',
  }),
  HOSTING_S3_ENDPOINT: setting({
    parse: parse.publicUrl,
    doc: 'URL of the S3-compatible service, which may be in a private network. Default: that of AWS in the region.',
    example: 'https://minio.example.org:9000',
  }),
  HOSTING_S3_REGION: setting({
    parse: parse.region,
    default: 'us-east-1',
    doc: 'Region of the bucket.',
  }),
  HOSTING_S3_ACCESS_KEY_ID: setting({
    parse: parse.text,
    secret: true,
    doc: 'Access key id for the bucket. Required with HOSTING=s3.',
  }),
  HOSTING_S3_SECRET_ACCESS_KEY: setting({
    parse: parse.text,
    secret: true,
    doc: 'Its secret access key. Required with HOSTING=s3.',
  }),
  HOSTING_S3_PATH_STYLE: setting({
    parse: parse.boolean,
    default: true,
    doc: 'Whether the bucket is in the path of its URL; otherwise it is part of the host name.',
  }),
  HOSTING_PUBLISHERS: setting({
    parse: parse.publishers,
    default: [],
    doc: 'Addresses that may upload files, as a JSON list or separated by commas; * for anyone. Default: none.',
    example: '0xBE5449a6A97aD46c8558A3356267Ee5D2731ab5e',
  }),
  HOSTING_MAX_FILE: setting({
    parse: parse.integer(1, Number.MAX_SAFE_INTEGER),
    default: 10_737_418_240,
    doc: 'Maximum size of one hosted file in bytes.',
  }),
  HOSTING_QUOTA: setting({
    parse: parse.integer(1, Number.MAX_SAFE_INTEGER),
    default: 107_374_182_400,
    doc: 'Maximum bytes of all files of one publisher. An upload counts with its whole size from its start.',
  }),
  HOSTING_MAX_UPLOADS: setting({
    parse: parse.integer(1, 100_000),
    default: 200,
    doc: 'Maximum parts of uploads in flight at an instance; further ones get 503. Each takes a connection and an open file.',
  }),
  HOSTING_MAX_UPLOADS_PER_PUBLISHER: setting({
    parse: parse.integer(0, 100_000),
    default: 16,
    doc: 'Maximum parts of uploads in flight of one publisher in one worker; further ones get 429. 0 is unlimited.',
  }),
  HOSTING_STALL_TIMEOUT: setting({
    parse: parse.integer(100, 3_600_000),
    default: 60_000,
    doc: 'Milliseconds in which at least 64 KiB of an upload must arrive; otherwise its connection is closed. What has arrived is kept.',
  }),
  HOSTING_UNPUBLISHED_LIFETIME: setting({
    parse: parse.integer(60, 31_536_000),
    default: 604_800,
    doc: 'Seconds after which an upload that is not complete is deleted, and a file that no asset uses.',
  }),
} as const
