import fc from 'fast-check'
import { temporaryFolder } from '@herald/testing/temporary-folder'
import { deflateSync } from 'node:zlib'
import { afterAll, describe, expect, test } from 'vitest'
import { inspectDocument } from '../src/documents/inspect-document.ts'
import {
  compoundFile,
  directoryPosition,
  powerPointStreams,
  record,
  tablePosition,
  wordStream,
} from './documents-compound-files.ts'
import { inspectCounted } from './documents-counted-reads.ts'
import { compressedPdf, objectStream, pdf, stream, updatedPdf } from './documents-pdf-files.ts'
import {
  contentTypes,
  DOCX_MAIN,
  docxParts,
  pptxParts,
  relationship,
  relationships,
  zip,
  type ZipPart,
} from './documents-zip-files.ts'

const PDF = 'application/pdf'
const DOC = 'application/msword'
const PPT = 'application/vnd.ms-powerpoint'
const DOCX = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document'
const PPTX = 'application/vnd.openxmlformats-officedocument.presentationml.presentation'

const folder = temporaryFolder()
afterAll(() => folder[Symbol.dispose]())

const inspectAs = (mimeType: string) => (content: Uint8Array) =>
  inspectCounted(folder.path, content, (path) => inspectDocument(path, mimeType))

const NOT_A_DOCUMENT = 'The file is not a PDF, Word or PowerPoint document.'
const CUT_OFF = 'The file is cut off or damaged.'
const TOO_MUCH = 'The file has more parts than can be read.'
const MACROS = 'The file holds macros, which are not accepted.'
const PASSWORD = 'The file is encrypted or protected with a password.'
const SCRIPTS = 'The PDF holds scripts, which are not accepted.'
const FILES = 'The PDF holds other files, which are not accepted.'
const PROGRAMS = 'The PDF starts other programs, which is not accepted.'
const OUTSIDE = 'The document refers to files outside of it, which is not accepted.'

describe('PDF', () => {
  const inspect = inspectAs(PDF)
  const script = '<</S /JavaScript /JS (app.alert(1))>>'

  test.for<[string, Buffer, number]>([
    ['with a table', pdf(), 3],
    ['with objects and table in streams', compressedPdf({ pages: 5 }), 5],
    ['with a table of differences', compressedPdf({ pages: 6, isPredicted: true }), 6],
    [
      'that was changed afterwards',
      updatedPdf(pdf(), 2, '<</Type /Pages /Count 1 /Kids [11 0 R]>>'),
      1,
    ],
    [
      'with a table of both kinds',
      updatedPdf(compressedPdf(), 60, 'null', `/XRefStm ${tableOf(compressedPdf())}`),
      3,
    ],
    ['of version 2.0', pdf({ version: '2.0', pages: 1 }), 1],
    ['that lies about its pages, counted', pdf({ pages: 2, count: 5_000_000_000 }), 2],
    ['that opens on a page', pdf({ catalog: '/OpenAction [10 0 R /Fit]' }), 3],
    [
      'with a link whose address has the words',
      pdf({ objects: ['<</URI (https://a.example/JS/JavaScript?\\(/Launch)>>'] }),
      3,
    ],
    [
      'with the words in a picture',
      pdf({ objects: [stream('/Subtype /Image', Buffer.from('/JS /JavaScript'))] }),
      3,
    ],
  ])('%s: it is accepted, and its pages are counted', async ([, file, pages]) => {
    expect((await inspect(file)).result).toEqual({ mimeType: PDF, pages })
  })

  /** A plain PDF with something else in it, which moves its table. */
  const inPlace = (found: string, instead: string) => {
    const text = pdf().toString('latin1').replace(found, instead)
    const table = text.indexOf('xref\n0')
    return Buffer.from(text.replace(/startxref\n\d+/, `startxref\n${table}`), 'latin1')
  }

  /** A script in the open content of a stream, with a table that points right into it. */
  const hidden = (opening: string) => {
    const holder = stream('', Buffer.from(`\n${opening} ${script} endobj\n`))
    const file = pdf({
      objects: ['<</S /Nothing>>', holder],
      catalog: '/OpenAction 100 0 R',
    })
    const text = file.toString('latin1')
    const position = (index: number) => `${String(index).padStart(10, '0')} 00000 n`
    const shown = position(text.indexOf('100 0 obj'))
    return Buffer.from(text.replace(shown, position(text.lastIndexOf(opening))), 'latin1')
  }

  test.for<[string, Buffer, string]>([
    ['a header and HTML', Buffer.from('%PDF-1.4\n<html><script>alert(1)</script></html>'), CUT_OFF],
    [
      'a header and HTML with an end',
      Buffer.from('%PDF-1.4\n<html></html>\nstartxref\n9\n%%EOF'),
      CUT_OFF,
    ],
    ['a header alone', Buffer.from('%PDF-1.7\n'), CUT_OFF],
    ['a version that does not exist', pdf({ version: '9.9' }), NOT_A_DOCUMENT],
    [
      'something in front of the header',
      Buffer.concat([Buffer.from('GIF89a'), pdf()]),
      NOT_A_DOCUMENT,
    ],
    ['cut in half', pdf().subarray(0, 300), CUT_OFF],
    [
      'a table that is not where it should be',
      Buffer.from(
        pdf()
          .toString('latin1')
          .replace(/(startxref\n)\d+/, '$177'),
        'latin1',
      ),
      CUT_OFF,
    ],
    ['no pages', pdf({ pages: 0 }), CUT_OFF],
    [
      'encrypted',
      pdf({
        trailer: '/Encrypt 100 0 R',
        objects: ['<</Filter /Standard /V 1 /R 2 /O (x) /U (y) /P -4>>'],
      }),
      PASSWORD,
    ],
    ['encrypted, the name spelt in another way', pdf({ trailer: '/#45ncrypt 100 0 R' }), PASSWORD],
    [
      'a script among its names',
      pdf({ catalog: `/Names <</JavaScript <</Names [(a) ${script}]>>>>` }),
      SCRIPTS,
    ],
    ['a script when it opens', pdf({ catalog: `/OpenAction ${script}` }), SCRIPTS],
    ['a script spelt in another way', pdf({ objects: ['<</S /J#61vaScript>>'] }), SCRIPTS],
    [
      'a script behind a text with parentheses',
      pdf({ objects: [`<</T (a \\) (b) c) /A ${script}>>`] }),
      SCRIPTS,
    ],
    ['a script in an object stream', pdf({ objects: [objectStream([script])] }), SCRIPTS],
    [
      'a script in an object stream that does not say so',
      pdf({ objects: [objectStream([script], '')] }),
      SCRIPTS,
    ],
    ['a script in the open content of a stream', hidden('100 0 obj'), CUT_OFF],
    ['a form of XML', pdf({ catalog: '/AcroForm <</XFA 100 0 R>>' }), SCRIPTS],
    [
      'an action that starts a program',
      pdf({ catalog: '/OpenAction <</S /Launch /F (cmd.exe)>>' }),
      PROGRAMS,
    ],
    [
      'an embedded file',
      pdf({ objects: [stream('/Type /EmbeddedFile', Buffer.from('MZ'))] }),
      FILES,
    ],
    [
      'a tree of embedded files',
      pdf({ catalog: '/Names <</EmbeddedFiles <</Names []>>>>' }),
      FILES,
    ],
    [
      'a file specification with a file',
      pdf({ objects: ['<</Type /Filespec /EF <</F 7 0 R>>>>'] }),
      FILES,
    ],
    ['a million objects', pdf({ objects: Array.from({ length: 1_000_000 }, () => '1') }), TOO_MUCH],
    [
      'an object stream that inflates to 64 MB',
      pdf({
        objects: [
          stream(
            '/Type /ObjStm /N 1 /First 4 /Filter /FlateDecode',
            deflateSync(Buffer.alloc(64 * 1024 * 1024)),
          ),
        ],
      }),
      TOO_MUCH,
    ],
    [
      'a table that inflates to 64 MB',
      compressedPdf({ rows: Buffer.alloc(64 * 1024 * 1024) }),
      TOO_MUCH,
    ],
    ['a million places in its table', compressedPdf({ rows: Buffer.alloc(4_000_000) }), TOO_MUCH],
    [
      'a table that names itself as the one before',
      pdf({ trailer: `/Prev ${tableOf(pdf())}` }),
      CUT_OFF,
    ],
    ['a table that claims 2^31 rows', inPlace('xref\n0 1\n', 'xref\n0 2147483647\n'), CUT_OFF],
    ['a table that leads nowhere', inPlace('0000000015 00000 n', '0000009999 00000 n'), CUT_OFF],
    ['no root', inPlace('/Root 1 0 R', ''), CUT_OFF],
    ['a root that is a page', inPlace('/Root 1 0 R', '/Root 10 0 R'), CUT_OFF],
    ['pages that are missing', inPlace('[10 0 R', '[99 0 R'), CUT_OFF],
    ['arrays within each other', pdf({ catalog: `/A ${'['.repeat(5000)}` }), TOO_MUCH],
    ['an array without an end', pdf({ catalog: '/A [1 2 3 ' }), CUT_OFF],
    ['30,000 pages', pdf({ pages: 30_000 }), TOO_MUCH],
    [
      'many object streams that inflate to 30 MB each',
      pdf({
        objects: Array.from({ length: 10 }, () =>
          stream(
            '/Type /ObjStm /N 1 /First 4 /Filter /FlateDecode',
            deflateSync(Buffer.alloc(30 * 1024 * 1024, ' ')),
          ),
        ),
      }),
      TOO_MUCH,
    ],
    [
      'an object stream of another compression',
      pdf({
        objects: [
          stream('/N 1 /First 4 /Filter [/ASCIIHexDecode /FlateDecode]', Buffer.from('00')),
        ],
      }),
      CUT_OFF,
    ],
    [
      'an object stream that cannot be inflated',
      pdf({ objects: [stream('/N 1 /First 4 /Filter /FlateDecode', Buffer.from('00'))] }),
      CUT_OFF,
    ],
    [
      'a predicted object stream',
      pdf({ objects: [objectStream(['1'], '/DecodeParms <</Predictor 12>>')] }),
      CUT_OFF,
    ],
    ['a text that does not end', pdf({ objects: ['(never'] }), CUT_OFF],
    ['a script that only its table leads to', hidden('100 0 %\nobj'), CUT_OFF],
    ['a stream that does not end', pdf({ objects: ['<<>> stream\n'] }), CUT_OFF],
  ])('%s: it is refused', async ([, file, refusal]) => {
    expect(await inspect(file)).toMatchObject({ refusal })
  })

  test('a page tree that leads back to itself is refused', async () => {
    const file = pdf({ pages: 1 }).toString('latin1').replace('/Kids [10 0 R]', '/Kids [ 2 0 R]')
    expect((await inspect(Buffer.from(file, 'latin1'))).refusal).toBe(CUT_OFF)
  })
})

function tableOf(file: Buffer): string {
  return /startxref\n(\d+)/.exec(file.toString('latin1'))?.[1] ?? ''
}

const withMain = (type: string) =>
  zip(docxParts({ '[Content_Types].xml': contentTypes({ '/word/document.xml': type }) }))
const withLink = (kind: string, target: string) =>
  zip(docxParts({ 'word/_rels/document.xml.rels': relationships(relationship(kind, target)) }))
const withPart = (part: ZipPart) => zip([...docxParts(), part])
const xxe =
  '<?xml version="1.0"?><!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/passwd">]><Types>&e;</Types>'

describe('DOCX and PPTX', () => {
  const inspect = inspectAs(DOCX)

  test.for<[string, Buffer, object]>([
    ['a Word document', zip(docxParts()), { mimeType: DOCX, pages: 4 }],
    ['a presentation', zip(pptxParts()), { mimeType: PPTX, pages: 7 }],
    [
      'without properties',
      zip(docxParts({ 'docProps/app.xml': undefined })),
      { mimeType: DOCX, pages: null },
    ],
    [
      'with properties that count nothing',
      zip(docxParts({ 'docProps/app.xml': '<a/>' })),
      { pages: null },
    ],
    [
      'stored without compression',
      zip(docxParts().map((part) => ({ ...part, stored: true }))),
      { pages: 4 },
    ],
    ['with a comment', zip(docxParts(), { comment: Buffer.from('made here') }), { pages: 4 }],
    [
      'with a link to a page',
      withLink('hyperlink', 'https://example.com/?a=1&amp;b=2'),
      { pages: 4 },
    ],
    [
      'with comments in its XML',
      zip(docxParts({ '_rels/.rels': `<!-- <!DOCTYPE --> ${String(docxParts()[1]!.content)}` })),
      { pages: 4 },
    ],
  ])('%s: it is accepted', async ([, file, facts]) => {
    expect((await inspect(file)).result).toMatchObject(facts)
  })

  const bomb = { name: 'word/media/a.xml', content: Buffer.alloc(20_000_000) }
  const many = Array.from({ length: 100_000 }, (_, index) => ({
    name: `a${index}`,
    content: '',
    stored: true,
  }))
  const macro = 'application/vnd.ms-word.document.macroEnabled.main+xml'

  test.for<[string, Buffer, string]>([
    [
      'a ZIP with word/document.xml alone',
      zip([{ name: 'word/document.xml', content: '<w:document/>' }]),
      NOT_A_DOCUMENT,
    ],
    ['no content types', zip(docxParts({ '[Content_Types].xml': undefined })), NOT_A_DOCUMENT],
    ['no relationships', zip(docxParts({ '_rels/.rels': undefined })), NOT_A_DOCUMENT],
    ['no main part', zip(docxParts({ 'word/document.xml': undefined })), NOT_A_DOCUMENT],
    [
      'two main parts',
      zip(
        docxParts({
          '_rels/.rels': relationships(
            relationship('officeDocument', 'word/document.xml', ''),
            relationship('officeDocument', 'b', ''),
          ),
        }),
      ),
      NOT_A_DOCUMENT,
    ],
    [
      'a main part that is something else',
      zip(docxParts({ 'word/document.xml': '<html/>' })),
      CUT_OFF,
    ],
    ['a bomb of 1 : 1,000', withPart(bomb), TOO_MUCH],
    [
      'a bomb that hides its size',
      zip(
        docxParts().map((part) =>
          part.name.startsWith('docProps')
            ? { ...part, content: Buffer.alloc(9_000_000), size: 500 }
            : part,
        ),
      ),
      CUT_OFF,
    ],
    [
      'sizes of more than a gigabyte',
      zip([
        ...docxParts(),
        { name: 'a', content: Buffer.alloc(9_000_000), stored: false, size: 0x7fffffff },
      ]),
      TOO_MUCH,
    ],
    ['100,000 entries', zip(many, { count: 100_000 % 65_536 }), TOO_MUCH],
    [
      '100,000 entries that are said to be four',
      zip([...docxParts(), ...many], { count: 4 }),
      TOO_MUCH,
    ],
    ['fewer entries than it says', zip(docxParts(), { count: 9 }), CUT_OFF],
    [
      'a name that leads up',
      withPart({ name: 'word/../../../etc/cron.d/x', content: '' }),
      CUT_OFF,
    ],
    ['a name from the root', withPart({ name: '/etc/passwd', content: '' }), CUT_OFF],
    ['a name of a drive', withPart({ name: 'C:/x', content: '' }), CUT_OFF],
    ['a name with a backslash', withPart({ name: 'word\\..\\x', content: '' }), CUT_OFF],
    ['two entries of one name', withPart({ name: 'WORD/document.xml', content: '' }), CUT_OFF],
    ['an encrypted entry', withPart({ name: 'a', content: 'b', flags: 1 }), PASSWORD],
    [
      'a 64-bit size without its field',
      withPart({ name: 'a', content: 'b', size: 0xffffffff }),
      CUT_OFF,
    ],
    ['another compression', withPart({ name: 'a', content: 'b', method: 14 }), CUT_OFF],
    [
      'another name in front of the content',
      zip(docxParts().map((part) => ({ ...part, localName: 'x'.repeat(part.name.length) }))),
      CUT_OFF,
    ],
    [
      'a gap in front of the directory that its end does not know',
      Buffer.concat([
        zip(docxParts()).subarray(0, -22),
        Buffer.alloc(9),
        zip(docxParts()).subarray(-22),
      ]),
      CUT_OFF,
    ],
    ['something behind it', Buffer.concat([zip(docxParts()), Buffer.alloc(50)]), CUT_OFF],
    ['cut in half', zip(docxParts()).subarray(0, 500), CUT_OFF],
    ['an entity in the content types', zip(docxParts({ '[Content_Types].xml': xxe })), CUT_OFF],
    ['an entity in the relationships', zip(docxParts({ '_rels/.rels': xxe })), CUT_OFF],
    ['an entity in the main part', zip(docxParts({ 'word/document.xml': xxe })), CUT_OFF],
    [
      'an entity in UTF-16',
      zip(docxParts({ '_rels/.rels': Buffer.from(`\uFEFF${xxe}`, 'utf16le') })),
      CUT_OFF,
    ],
    [
      'an entity in UTF-7',
      zip(docxParts({ '_rels/.rels': '<?xml version="1.0" encoding="UTF-7"?>+ADwAIQ-DOCTYPE' })),
      CUT_OFF,
    ],
    [
      'comments that do not end',
      zip(docxParts({ '_rels/.rels': '<!--'.repeat(200_000) + [...Array(20_000).keys()].join() })),
      CUT_OFF,
    ],
    ['a macro document named .docx', withMain(macro), MACROS],
    [
      'a macro presentation named .pptx',
      zip(
        pptxParts({
          '[Content_Types].xml': contentTypes({
            '/ppt/presentation.xml':
              'application/vnd.ms-powerpoint.presentation.macroEnabled.main+xml',
          }),
        }),
      ),
      MACROS,
    ],
    ['a macro type that is spelt in another way', withMain(macro.replace('E', '&#x45;')), MACROS],
    ['a VBA project', withPart({ name: 'word/vbaProject.bin', content: 'x' }), MACROS],
    ['a template', withMain(DOCX_MAIN.replace('document.main', 'template.main')), NOT_A_DOCUMENT],
    [
      'a workbook',
      withMain('application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml'),
      NOT_A_DOCUMENT,
    ],
    ['a main part of no type', withMain('application/xml'), NOT_A_DOCUMENT],
    ['an image on a share', withLink('image', '\\\\10.0.0.1\\share\\a.png'), OUTSIDE],
    ['a link to a share', withLink('hyperlink', '//10.0.0.1/share'), OUTSIDE],
    ['a file', withLink('image', 'file:///etc/passwd'), OUTSIDE],
    ['a file, spelt in another way', withLink('image', '&#x66;ile%3A//host/a'), OUTSIDE],
    ['a drive', withLink('hyperlink', 'C:\\Users\\a.docx'), OUTSIDE],
    ['a template elsewhere', withLink('attachedTemplate', 'https://example.com/a.dotm'), OUTSIDE],
    ['an object elsewhere', withLink('oleObject', 'https://example.com/a.html!'), OUTSIDE],
  ])('%s: it is refused', async ([, file, refusal]) => {
    expect(await inspect(file)).toMatchObject({ refusal })
  })
})

describe('DOC and PPT', () => {
  const inspect = inspectAs('application/x-cfb')

  test.for<[string, Buffer, object]>([
    ['a Word document', compoundFile([wordStream()]), { mimeType: DOC, pages: null }],
    [
      'a small one',
      compoundFile([{ name: 'x', content: Buffer.alloc(900) }, wordStream({ size: 3000 })]),
      { mimeType: DOC, pages: null },
    ],
    [
      'a large one',
      compoundFile([wordStream({ size: 9_000_000 })]),
      { mimeType: DOC, pages: null },
    ],
    ['one of large sectors', compoundFile([wordStream()], 4096), { mimeType: DOC, pages: null }],
    ['a presentation', compoundFile(powerPointStreams()), { mimeType: PPT, pages: null }],
    [
      'with a workbook in it',
      compoundFile([
        wordStream(),
        { name: 'ObjectPool', parts: [{ name: 'Workbook', content: Buffer.alloc(9) }] },
      ]),
      { mimeType: DOC, pages: null },
    ],
  ])('%s: it is accepted', async ([, file, facts]) => {
    expect((await inspect(file)).result).toEqual(facts)
  })

  const damaged = (change: (file: Buffer) => void) => {
    const file = compoundFile([wordStream(), { name: 'b', content: Buffer.alloc(5000) }])
    change(file)
    return file
  }
  const streams = (name: string) => compoundFile([{ name, content: Buffer.alloc(5000) }])

  test.for<[string, Buffer, string]>([
    ['a workbook', streams('Workbook'), NOT_A_DOCUMENT],
    ['an old workbook', streams('Book'), NOT_A_DOCUMENT],
    ['an installer', streams('\u4840\u3b3f\u43f2\u4438\u45b1'), NOT_A_DOCUMENT],
    [
      'a message with a document in it',
      compoundFile([{ name: '__attach', parts: [wordStream()] }]),
      NOT_A_DOCUMENT,
    ],
    [
      'a document and a presentation at once',
      compoundFile([wordStream(), ...powerPointStreams()]),
      NOT_A_DOCUMENT,
    ],
    [
      'a storage where the stream should be',
      compoundFile([{ name: 'WordDocument', parts: [] }]),
      NOT_A_DOCUMENT,
    ],
    [
      'an encrypted DOCX',
      compoundFile([{ name: 'EncryptedPackage', content: Buffer.alloc(5000) }]),
      PASSWORD,
    ],
    ['an encrypted document', compoundFile([wordStream({ flags: 0x0100 })]), PASSWORD],
    ['an encrypted presentation', compoundFile(powerPointStreams([], 0xf3d1c4df)), PASSWORD],
    [
      'Word macros',
      compoundFile([wordStream(), { name: 'Macros', parts: [{ name: 'VBA', parts: [] }] }]),
      MACROS,
    ],
    [
      'macros in an object within',
      compoundFile([
        wordStream(),
        { name: 'ObjectPool', parts: [{ name: '_VBA_PROJECT_CUR', parts: [] }] },
      ]),
      MACROS,
    ],
    [
      'macros of a presentation',
      compoundFile(powerPointStreams([record(0x07d0, record(0x03ff, Buffer.alloc(12)))])),
      MACROS,
    ],
    ['another stream of that name', streams('WordDocument'), CUT_OFF],
    ['two streams of one name', compoundFile([wordStream(), wordStream()]), CUT_OFF],
    ['a presentation without its user', compoundFile(powerPointStreams().slice(1)), CUT_OFF],
    ['a million records', compoundFile(powerPointStreams([Buffer.alloc(8_000_000)])), TOO_MUCH],
    [
      'a table that loops, of the directory',
      damaged((file) =>
        file.writeUInt32LE(file.readUInt32LE(48), tablePosition(file) + file.readUInt32LE(48) * 4),
      ),
      TOO_MUCH,
    ],
    [
      'a table that loops, of the stream',
      damaged((file) => file.writeUInt32LE(0, tablePosition(file))),
      TOO_MUCH,
    ],
    [
      'a stream that ends early',
      damaged((file) => file.writeUInt32LE(0xfffffffe, tablePosition(file))),
      CUT_OFF,
    ],
    [
      'a list of tables without any',
      damaged((file) => {
        file.writeUInt32LE(20, 68)
        file.fill(0xff, 21 * 512, 22 * 512)
        file.writeUInt32LE(20, 22 * 512 - 4)
      }),
      CUT_OFF,
    ],
    ['a list of tables that loops', damaged((file) => file.writeUInt32LE(0, 68)), TOO_MUCH],
    [
      'a list of tables that grows for ever',
      damaged((file) => {
        file.writeUInt32LE(20, 68)
        file.fill(0, 21 * 512, 22 * 512 - 4)
        file.writeUInt32LE(20, 22 * 512 - 4)
      }),
      TOO_MUCH,
    ],
    [
      'siblings that loop',
      damaged((file) => file.writeUInt32LE(1, directoryPosition(file) + 2 * 128 + 72)),
      CUT_OFF,
    ],
    [
      'a child that is not there',
      damaged((file) => file.writeUInt32LE(9999, directoryPosition(file) + 76)),
      CUT_OFF,
    ],
    ['no root', damaged((file) => file.writeUInt8(1, directoryPosition(file) + 66)), CUT_OFF],
    ['sectors of an odd size', damaged((file) => file.writeUInt16LE(31, 30)), CUT_OFF],
    ['cut in half', compoundFile([wordStream({ size: 90_000 })]).subarray(0, 40_000), CUT_OFF],
    [
      'a stream that goes on behind the end',
      damaged((file) => file.writeUInt32LE(0x7fffffff, directoryPosition(file) + 128 + 120)),
      CUT_OFF,
    ],
    ['a signature alone', Buffer.from('d0cf11e0a1b11ae1', 'hex'), CUT_OFF],
  ])('%s: it is refused', async ([, file, refusal]) => {
    expect(await inspect(file)).toMatchObject({ refusal })
  })
})

describe('the type that a file is said to have', () => {
  test('the real type is answered, whatever was said', async () => {
    const { result } = await inspectAs(PDF)(zip(docxParts()))
    expect(result?.mimeType).toBe(DOCX)
  })

  test.for(['text/html', 'image/png', ''])('%s is refused unread', async (mimeType) => {
    expect(await inspectAs(mimeType)(pdf())).toMatchObject({ refusal: NOT_A_DOCUMENT, reads: 0 })
  })

  test.for<[string, Buffer]>([
    ['text', Buffer.from('X5O!P%@AP[4 is not a document')],
    ['HTML', Buffer.from('<!doctype html><script>alert(1)</script>')],
    ['an image', Buffer.from('89504e470d0a1a0a0000', 'hex')],
    ['nothing', Buffer.alloc(0)],
  ])('%s is refused', async ([, file]) => {
    expect((await inspectAs(PDF)(file)).refusal).toBe(NOT_A_DOCUMENT)
  })
})

describe('whatever bytes are wrong', () => {
  const files = {
    PDF: pdf(),
    'PDF in streams': compressedPdf(),
    DOCX: zip(docxParts()),
    PPTX: zip(pptxParts()),
    DOC: compoundFile([wordStream(), { name: 'b', content: Buffer.alloc(99) }]),
    PPT: compoundFile(powerPointStreams()),
  }

  test.for(Object.entries(files))(
    '%s: it ends as facts or a sentence, after few reads',
    async ([, file]) => {
      const change = fc.tuple(fc.nat(file.length - 1), fc.nat(255))
      await fc.assert(
        fc.asyncProperty(
          fc.array(change, { maxLength: 6 }),
          fc.nat(file.length),
          async (changes, length) => {
            const broken = Buffer.from(file)
            for (const [position, byte] of changes) broken.writeUInt8(byte, position)
            const isCut = length % 3 === 0
            const outcome = await inspectAs(PDF)(isCut ? broken.subarray(0, length) : broken)
            expect(outcome.result ?? outcome.refusal).toBeDefined()
            expect(outcome.reads).toBeLessThanOrEqual(2)
            expect(outcome.bytes).toBeLessThanOrEqual(2 * file.length)
          },
        ),
        { numRuns: 300 },
      )
    },
  )
})
