/** A link to a file, and the path of its copy: relative, of safe names without control characters. */
export interface NamedLink {
  url: string
  path: string
}

/** Input of a download program: one entry for each link. Paths are a publisher's text. */
export interface LinkFormat {
  /** How a reader of the output passes it to the program. */
  usage: string | undefined
  begin: string
  entry(link: NamedLink): string
}

export const LINK_FORMATS = {
  urls: { usage: undefined, begin: '', entry: ({ url }) => url },
  /** A config file of curl. Brackets of a URL are no patterns, and an error page is no file. */
  curl: {
    usage: 'curl --config FILE',
    begin: 'fail\ngloboff\ncreate-dirs',
    // ./ because a single - is standard output
    entry: ({ url, path }) => `url = ${quoted(url)}\noutput = ${quoted(`./${path}`)}`,
  },
  /**
   * An input file of aria2, which must not start the downloads that a torrent or a metalink lists, nor continue what an earlier list left
   * under the same path: that may be another version.
   */
  aria2: {
    usage: 'aria2c --input-file=FILE',
    begin: '',
    entry: ({ url, path }) =>
      `${url}\n  out=${path}\n  follow-torrent=false\n  follow-metalink=false\n  allow-overwrite=true\n  remove-control-file=true`,
  },
  /** A CSV file of rclone. */
  rclone: {
    usage: 'rclone copyurl --urls FILE remote:folder',
    begin: '',
    entry: ({ url, path }) => `${url},${csvText(path)}`,
  },
} as const satisfies Record<string, LinkFormat>

export type LinkFormatName = keyof typeof LINK_FORMATS

/** Quotes a value of a config file of curl. */
const quoted = (text: string) => `"${text.replace(/["\\]/g, '\\$&')}"`

const csvText = (text: string) => `"${text.replaceAll('"', '""')}"`
