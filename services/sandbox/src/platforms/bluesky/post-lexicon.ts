import { blob, type Check, integer, list, object, text, union } from './lexicon.ts'

const datetime = text({
  maxBytes: 64,
  format: {
    name: 'datetime',
    pattern:
      /^(?!0000-)\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])T([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d{1,20})?(Z|(?!-00:00)[+-]([01]\d|2[0-3]):[0-5]\d)$/,
  },
})
const did = text({
  format: { name: 'DID', pattern: /^did:[a-z]+:[A-Za-z0-9._:%-]*[A-Za-z0-9._-]$/ },
})
const uri = text({ format: { name: 'uri', pattern: /^[a-z][a-z0-9.+-]{0,80}:[^\s]+$/i } })
const cid = text({ format: { name: 'CID string', pattern: /^[A-Za-z0-9+=]{8,256}$/ } })
const atUri = text({
  format: {
    name: 'at-uri',
    pattern: /^at:\/\/[A-Za-z0-9.:_%-]+(\/[A-Za-z0-9.-]+(\/[A-Za-z0-9._:~-]+)?)?$/,
  },
})
const language = text({
  format: { name: 'language', pattern: /^([a-z]{2,3}|i)(-[A-Za-z0-9]{1,8})*$/i },
})
const tag = text({ maxBytes: 640, maxGraphemes: 64 })

const strongRef = object(['uri', 'cid'], { uri: atUri, cid })
const aspectRatio = object(['width', 'height'], { width: integer(1), height: integer(1) })

const facet = object(['index', 'features'], {
  index: object(['byteStart', 'byteEnd'], { byteStart: integer(0), byteEnd: integer(0) }),
  features: list(
    union(
      {
        'app.bsky.richtext.facet#mention': object(['did'], { did }),
        'app.bsky.richtext.facet#link': object(['uri'], { uri }),
        'app.bsky.richtext.facet#tag': object(['tag'], { tag }),
      },
      true,
    ),
  ),
})

const image = object(['image', 'alt'], { image: blob, alt: text(), aspectRatio })
const media: Record<string, Check> = {
  'app.bsky.embed.images': object(['images'], { images: list(image, 4) }),
  'app.bsky.embed.video': object(['video'], {
    video: blob,
    alt: text({ maxBytes: 10_000, maxGraphemes: 1000 }),
    aspectRatio,
  }),
  'app.bsky.embed.external': object(['external'], {
    external: object(['uri', 'title', 'description'], {
      uri,
      title: text(),
      description: text(),
      thumb: blob,
    }),
  }),
}
const quoted = object(['record'], { record: strongRef })

/**
 * The lexicon of `app.bsky.feed.post`. Like the network it checks the form of facets and not whether they lie within
 * the text. The embeds are those that every server knows; `app.bsky.embed.gallery` is refused as older servers do.
 */
export const postLexicon = object(['text', 'createdAt'], {
  text: text({ maxBytes: 3000, maxGraphemes: 300 }),
  createdAt: datetime,
  facets: list(facet),
  langs: list(language, 3),
  tags: list(tag, 8),
  reply: object(['root', 'parent'], { root: strongRef, parent: strongRef }),
  labels: union({
    'com.atproto.label.defs#selfLabels': object(['values'], {
      values: list(object(['val'], { val: text({ maxBytes: 128 }) }), 10),
    }),
  }),
  embed: union({
    ...media,
    'app.bsky.embed.record': quoted,
    'app.bsky.embed.recordWithMedia': object(['record', 'media'], {
      record: quoted,
      media: union(media),
    }),
  }),
})
