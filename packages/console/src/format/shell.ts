/** A word for a POSIX shell, whatever it holds. */
export function quotedWord(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}

/** A file name that cannot leave a folder, nor begin with a dash, and holds nothing that a shell or file system reads. */
export function safeFileName(name: string, otherwise: string): string {
  const clean = name.replace(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}/\\:*?"<>|]/gu, '_').replace(/^[.\-\s]+|[.\s]+$/g, '')
  return [...clean].slice(0, 120).join('') || otherwise
}

/** The command that downloads a link, taken up again where it broke off. */
export function curlLine(url: string, name: string): string {
  return `curl -fL -C - -o ${quotedWord(name)} ${quotedWord(url)}`
}
