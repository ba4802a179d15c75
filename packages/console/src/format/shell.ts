/** Quotes any text as one word of a POSIX shell. */
export function quotedWord(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}

/**
 * Returns a file name that leaves no folder, begins with no dash, and holds no special character of shells and file systems.
 */
export function safeFileName(name: string, otherwise: string): string {
  const clean = name.replace(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}/\\:*?"<>|]/gu, '_').replace(/^[.\-\s]+|[.\s]+$/g, '')
  return [...clean].slice(0, 120).join('') || otherwise
}

/**
 * Returns the command that downloads a link to a relative path, and makes its folders. It begins anew after an interruption: curl would
 * append to whatever file has the path.
 */
export function curlLine(url: string, path: string): string {
  return `curl -fL --create-dirs -o ${quotedWord(`./${path}`)} ${quotedWord(url)}`
}
