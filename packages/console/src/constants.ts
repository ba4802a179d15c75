/** The bits of a side of a WebP picture, of the extended format and of the others. */
export const WEBP_SIDE = { extended: 0xff_ffff, plain: 0x3fff } as const

/** The name of the box with a size of an AVIF picture: "ispe". */
export const AVIF_SIZE_BOX = 0x69_73_70_65

/** Bytes in which readers look for the header of a PDF (PDF Reference 1.7, appendix H). */
export const PDF_HEAD = 1_024
