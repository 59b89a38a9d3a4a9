/**
 * Gives the reader a text as a file.
 *
 * @internal
 */
export function download(page: Document, name: string, type: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type }));
  const link = page.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  URL.revokeObjectURL(url);
}
