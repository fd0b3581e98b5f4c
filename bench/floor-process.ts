import { once } from 'node:events'
import { connect, type Msg } from '@nats-io/transport-node'
import express from 'express'
import pg from 'pg'

/**
 * The floor: Express → NATS → handler → Postgres, and nothing else. No authentication, no validation, no events, no
 * rules. What Herald takes beyond this is the price of its features.
 */
const pool = new pg.Pool({ connectionString: process.env.POSTGRES_URL, max: 10 })
await pool.query(
  'create table if not exists floor_posts (id text primary key, content text not null, channels jsonb not null)',
)

const server = await connect({ servers: process.env.NATS_URL ?? '' })
const serve = (subject: string, answer: (message: Msg) => Promise<void>) =>
  server.subscribe(subject, { queue: 'floor', callback: (_, message) => void answer(message) })

serve('floor.create', async (message) => {
  const { content, channelIds } = message.json<{ content: string; channelIds: string[] }>()
  const id = crypto.randomUUID()
  await pool.query({
    name: 'floor_create',
    text: 'insert into floor_posts (id, content, channels) values ($1, $2, $3)',
    values: [id, content, JSON.stringify(channelIds)],
  })
  message.respond(JSON.stringify({ id, content, channelIds }))
})
serve('floor.get', async (message) => {
  const { rows } = await pool.query({
    name: 'floor_get',
    text: 'select id, content, channels from floor_posts where id = $1',
    values: [message.string()],
  })
  message.respond(JSON.stringify(rows[0] ?? null))
})

const client = await connect({ servers: process.env.NATS_URL ?? '' })
const app = express()
app.use(express.json())
app.post('/posts', async (request, response) => {
  const reply = await client.request('floor.create', JSON.stringify(request.body), {
    timeout: 5000,
  })
  response.status(201).json(reply.json())
})
app.get('/posts/:id', async (request, response) => {
  const reply = await client.request('floor.get', request.params.id, { timeout: 5000 })
  response.json(reply.json())
})
const listener = app.listen(0, '127.0.0.1')
await once(listener, 'listening')
const address = listener.address()
process.send?.({ url: `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}` })
