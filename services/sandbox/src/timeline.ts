import { livePosts } from './control.ts'
import { CallKind, FaultKind } from './faults.ts'
import { escapeHtml, htmlPage } from './html.ts'
import type { Core, SandboxPlatform } from './platform.ts'
import { postArticle } from './post-page.ts'

const SHOWN = 100

/** Replaces the live part of the page every two seconds, and sends the forms to the control API. */
const SCRIPT = `const live=document.getElementById('live')
const refresh=async()=>{try{const page=new DOMParser().parseFromString(await (await fetch('/')).text(),'text/html')
const next=page.getElementById('live');if(next.innerHTML!==live.innerHTML)live.innerHTML=next.innerHTML}catch{}}
setInterval(refresh,2000)
const send=(method,body)=>fetch('/_/faults',{method,headers:{'content-type':'application/json'},body}).then(refresh)
document.getElementById('arm').addEventListener('submit',event=>{event.preventDefault()
const fields=Object.fromEntries(new FormData(event.target));const {account,...rest}=fields
send('POST',JSON.stringify({...rest,times:Number(fields.times),...(account&&{account})}))})
document.getElementById('clear').addEventListener('click',()=>send('DELETE'))`

/** The page of everything that is live, the newest first, and of the faults that are armed. */
export function timelinePage({ faults }: Core, platforms: SandboxPlatform[]): string {
  const posts = livePosts(platforms).toReversed()
  const articles = posts.slice(0, SHOWN).map((post) => {
    const platform = platforms.find((one) => one.platform === post.platform)
    return postArticle(platform?.nameOf(post.account) ?? post.account, post)
  })
  const armed = faults
    .list()
    .map(
      ({ platform, account, kind, times, on }) =>
        `<tr><td>${platform}</td><td>${escapeHtml(account ?? 'every account')}</td><td>${kind}</td><td>${on}</td><td>${times}</td></tr>`,
    )
  return htmlPage(
    'Herald sandbox',
    `<header><h1>Herald sandbox</h1><p class="dim">Stand-ins of social platforms on this machine.</p></header>
<main><form id="arm">${armFields(platforms)}</form>
<div id="live">${armed.length > 0 ? `<table><tr><th>Platform<th>Account<th>Fault<th>On<th>Times</tr>${armed.join('')}</table>` : '<p class="dim">No fault is armed.</p>'}
<h2>${posts.length} ${posts.length === 1 ? 'post' : 'posts'}</h2>
${articles.join('') || '<p class="dim">Nothing has been published yet.</p>'}</div></main>`,
    SCRIPT,
  )
}

function armFields(platforms: SandboxPlatform[]): string {
  const names = platforms.map(({ platform }) => platform)
  return `${select('Platform', 'platform', names)} ${select('Fault', 'kind', FaultKind.options)}
${select('On', 'on', [...CallKind.options, 'any'])}
<label>Account <input name="account" placeholder="every account"></label>
<label>Times <input name="times" type="number" min="1" max="1000" value="1"></label>
<button>Arm</button> <button type="button" id="clear">Clear all faults</button>`
}

function select(label: string, name: string, values: readonly string[]): string {
  const options = values.map((value) => `<option>${escapeHtml(value)}</option>`).join('')
  return `<label>${label} <select name="${name}">${options}</select></label>`
}
