/** The part of papaparse that the page uses; its types would bring those of Node. */
declare module 'papaparse' {
  const papa: { parse(text: string, options: { preview: number; skipEmptyLines: boolean }): { data: string[][] } }
  export default papa
}
