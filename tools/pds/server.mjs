// Runs the reference server of Bluesky with two accounts, and writes its address and their sessions to the file in
// PDS_JSON. It stores everything in temporary folders, calls nothing outside, and ends with SIGTERM.
import { writeFileSync } from 'node:fs'
import { TestNetworkNoAppView } from '@atproto/dev-env'

const network = await TestNetworkNoAppView.create({})

async function call(method, body, token) {
  const response = await fetch(`${network.pds.url}/xrpc/${method}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(token && { authorization: `Bearer ${token}` }) },
    body: JSON.stringify(body),
  })
  if (!response.ok) throw new Error(`${method}: ${response.status} ${await response.text()}`)
  return response.json()
}

// Connects an account as a user does: with an app password.
async function account(handle) {
  const owner = await call('com.atproto.server.createAccount', { handle, email: `${handle}@example.com`, password: handle })
  const { password } = await call('com.atproto.server.createAppPassword', { name: 'connector' }, owner.accessJwt)
  return call('com.atproto.server.createSession', { identifier: handle, password })
}

const sessions = [await account('alice.test'), await account('bob.test')]
writeFileSync(process.env.PDS_JSON, JSON.stringify({ url: network.pds.url, sessions }))

process.on('SIGTERM', async () => {
  await network.close()
  process.exit(0)
})
