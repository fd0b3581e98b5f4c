/** Where X is. `webUrl` is the site that shows its posts. */
export const X_SETTINGS = {
  authorizeUrl: 'https://x.com/i/oauth2/authorize',
  tokenUrl: 'https://api.x.com/2/oauth2/token',
  revokeUrl: 'https://api.x.com/2/oauth2/revoke',
  apiUrl: 'https://api.x.com',
  webUrl: 'https://x.com',
}
