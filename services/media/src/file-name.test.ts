import { FILE_TYPES, FileName } from '@herald/contracts/media'
import { describe, expect, test } from 'vitest'
import { nameForDownload, requireFittingEnding, usualEnding } from './file-name.ts'

describe('the name of a download', () => {
  test.each<[string | undefined, string]>([
    ['cat.png', 'cat.png'],
    ['cat.PNG', 'cat.png'],
    ['cat', 'cat.png'],
    ['cat.apng', 'cat.png'],
    ['cat.jpg', 'cat.jpg.png'],
    ['a.b.c', 'a.b.c.png'],
    ['2026.11.21', '2026.11.21.png'],
    [undefined, 'file.png'],
    ['', 'file.png'],
    ['   ', 'file.png'],
    ['.', 'file.png'],
    ['..', 'file.png'],
    ['.png', 'file.png'],
    ['../../etc/passwd', 'passwd.png'],
    ['a/b\\c.png', 'c.png'],
    ['a/', 'file.png'],
    ['a\u0000b.png', 'ab.png'],
    ['a\r\nb.png', 'ab.png'],
    ['\u202egpj.exe', 'gpj.exe.png'],
    ['\u2066a\u2069.png', 'a.png'],
    ['\ud83d.png', 'file.png'],
    ['😀.png', '😀.png'],
    [' cat .png', 'cat .png'],
    ['.htaccess', '.htaccess.png'],
    ['n'.repeat(300), `${'n'.repeat(251)}.png`],
    ['😀'.repeat(200), `${'😀'.repeat(125)}.png`],
  ])('from %j is %j', (given, name) => {
    expect(nameForDownload(given, 'image/png')).toBe(name)
    expect(FileName.safeParse(name).success).toBe(true)
  })
})

describe('an ending', () => {
  test.each(Object.entries(FILE_TYPES))('that %s usually has fits it', (mimeType, { endings }) => {
    expect(usualEnding(mimeType)).toBe(endings[0])
    for (const ending of endings)
      for (const written of [ending, ending.toUpperCase()])
        expect(() => requireFittingEnding(`a.${written}`, mimeType)).not.toThrow()
  })

  test.each(['exe', 'html', 'svg', 'js', 'php', 'hta', 'lnk', 'EXE', 'pdf', 'mp4', 'docx'])(
    '.%s is refused for a picture',
    (ending) => {
      expect(() => requireFittingEnding(`a.${ending}`, 'image/png')).toThrow(
        `A file named .${ending.toLowerCase()} is not of the type image/png.`,
      )
    },
  )

  test.each(['a', 'a.', 'a.final', 'v1.2', 'a.exe.backup', '.png'])(
    '%s says nothing of a type that Herald knows',
    (fileName) => {
      expect(() => requireFittingEnding(fileName, 'image/png')).not.toThrow()
    },
  )

  test('of a type that is not known is bin', () => {
    expect(usualEnding('application/x-unknown')).toBe('bin')
  })
})
