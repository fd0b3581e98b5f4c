import { expect, test } from 'vitest'
import { fileNameOf } from './file-name.ts'

const latin1 = (text: string) => Buffer.from(text).toString('latin1')

test.each<[title: string, disposition: string, path: string, name: string | undefined]>([
  ['in quotes', 'attachment; filename="a b.png"', '/x', 'a b.png'],
  ['without quotes', 'attachment; filename=a.png; size=3', '/x', 'a.png'],
  ['with escapes', 'inline; filename="a\\"b\\\\c.png"', '/x', 'a"b\\c.png'],
  ['with a semicolon', 'inline; FileName = "a;b.png"', '/x', 'a;b.png'],
  [
    'extended, which wins',
    "a; filename=a.png; filename*=utf-8'de'gr%C3%BC%C3%9Fe.png",
    '/x',
    'grüße.png',
  ],
  [
    'extended in another character set',
    "a; filename=a.png; filename*=iso-8859-1''%E4",
    '/x',
    'a.png',
  ],
  ['in raw UTF-8', `inline; filename="${latin1('grüße.png')}"`, '/x', 'grüße.png'],
  ['in raw Latin-1', 'inline; filename="gr\xfc\xdfe.png"', '/x', 'grüße.png'],
  ['badly encoded', "inline; filename*=UTF-8''%E4%", '/x', '%E4%'],
  ['hostile, which is for others to clean', 'inline; filename="../../etc/x"', '/x', '../../etc/x'],
  ['empty, so that the path is taken', 'inline; filename=""', '/a%20b.png', 'a b.png'],
  ['none, so that the path is taken', '', '/a/b/gr%C3%BC%C3%9Fe.png', 'grüße.png'],
  ['a path with encoded slashes', '', '/a/..%2F..%2Fx', '../../x'],
  ['a path badly encoded', '', '/a/%E4%', '%E4%'],
  ['a folder', '', '/a/', undefined],
])('the name of a file may be %s', (_, disposition, path, name) => {
  const headers = disposition === '' ? {} : { 'content-disposition': disposition }
  expect(fileNameOf(headers, new URL(`http://example.com${path}`))).toBe(name)
})

test('the name of a file is found quickly in a header that is as long as allowed', () => {
  const disposition = `x${';'.repeat(5_000)}filename${' '.repeat(5_000)}="${'\\a'.repeat(2_500)}`
  expect(fileNameOf({ 'content-disposition': disposition }, new URL('http://a.example/b'))).toBe(
    'b',
  )
})
