/** Whether the server has the file that was asked for. A development server answers an unknown address with the page itself. */
export function hasFile(response: Response): boolean {
  return response.ok && !response.headers.get('content-type')?.includes('text/html')
}
