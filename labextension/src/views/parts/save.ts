/** Have the browser save a file. */
export function save(name: string, content: Blob): void {
  const url = URL.createObjectURL(content);
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  document.body.append(link);
  link.click();
  link.remove();
  // Not at once: some browsers have not begun to read it.
  window.setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
