/** A wheel with pages of our own, in the interface of MiniWoB++'s: what core.js does, in a few lines. */
import { BlobWriter, TextReader, ZipWriter } from '@zip.js/zip.js/lib/zip-core-custom.js'

const CORE = `
var core = { EPISODE_MAX_TIME: 10000, EP_TIMER: null }
var WOB_DONE_GLOBAL = false, WOB_RAW_REWARD_GLOBAL = 0
core.pick = function (list) { return list[Math.floor(Math.random() * list.length)] }
core.startEpisodeReal = function () {
  genProblem()
  WOB_DONE_GLOBAL = false
  core.EP_TIMER = setTimeout(function () { core.endEpisode(-1) }, core.EPISODE_MAX_TIME)
}
core.endEpisode = function (reward) {
  if (core.EP_TIMER === null) return
  clearTimeout(core.EP_TIMER)
  core.EP_TIMER = null
  WOB_RAW_REWARD_GLOBAL = reward
  WOB_DONE_GLOBAL = true
}
function ask(text) { document.getElementById('query').textContent = text }
function show(html) { document.getElementById('area').innerHTML = html }
function on(id, call) { document.getElementById(id).addEventListener('click', call) }
`

const page = (script: string, head = '') => `<!DOCTYPE html>
<html><head><title>A task</title>
<link rel="stylesheet" href="../core/core.css">
<script src="../core/core.js"></script>${head}
<script>${script}</script>
</head><body><div id="wrap"><div id="query"></div><div id="area"></div></div></body></html>`

/** Won by a click on the button that the task names; a third button gives half a reward. */
const CLICK = page(`function genProblem() {
  var names = ['red', 'green', 'blue'], wanted = core.pick(names)
  ask('Click "' + wanted + '".')
  show(names.map(function (name) { return '<button id="' + name + '">' + name + '</button>' }).join('') + '<button id="half">half</button>')
  names.forEach(function (name) { on(name, function () { core.endEpisode(name === wanted ? 1 : -1) }) })
  on('half', function () { core.endEpisode(0.5) })
}`)

/** Won by typing a word, later than its clock shows at first. */
const TYPE = page(`function genProblem() {
  var word = core.pick(['oak', 'elm', 'ash'])
  ask('Enter "' + word + '" and press Submit.')
  show('<input type="text" id="field"><button id="submit">Submit</button><p id="clock"></p>')
  setInterval(function () { document.getElementById('clock').textContent = new Date().toISOString() }, 100)
  on('submit', function () { core.endEpisode(document.getElementById('field').value === word ? 1 : -1) })
}`)

/** Asks the network for something in every way that it has, and is lost if anything comes. */
const reach = (address: string) =>
  page(`function genProblem() {
  var reward = 1, came = function () { reward = -1 }
  ask('Click "stay".')
  show('<button id="stay">stay</button>')
  fetch('${address}/fetch', { mode: 'no-cors' }).then(came, function () {})
  var image = new Image(); image.onload = came; image.src = '${address}/image.png'
  var script = document.createElement('script'); script.src = '${address}/script.js'; document.head.append(script)
  var frame = document.createElement('iframe'); frame.src = '${address}/frame'; frame.hidden = true; document.body.append(frame)
  try { top.location = '${address}/top' } catch (refused) {}
  on('stay', function () { core.endEpisode(reward) })
}`)

/** Goes to another address. */
const leave = (address: string) =>
  page(`function genProblem() {
  ask('Click "leave".')
  show('<button id="leave">leave</button>')
  on('leave', function () { location.href = '${address}/leave' })
}`)

const NEVER = page(`function genProblem() {
  core.endEpisode = function () {}
  ask('Wait.')
  show('<button>wait</button>')
}`)

const HANGS = page(`function genProblem() { for (;;) {} }`)

/** Starts, and hangs once its last button is clicked, which the check of a page does not do. */
const HANGS_LATE = page(`function genProblem() {
  ask('Click "hang".')
  show('<button>one</button><button>two</button><button>three</button><button id="hang">hang</button>')
  on('hang', function () { for (;;) {} })
}`)

const FAILS = page(`function genProblem() { ask('Click.'); nowhere.call() }`)

/** Answers before our script does, with nothing that it could say. */
const FORGES = page(`function genProblem() {
  ask('Click.')
  for (var id = 0; id < 9; id++) parent.parent.postMessage({ about: 'miniwob', id: id, view: {} }, '*')
}`)

const LACKS = page('function genProblem() {}', '<script src="../core/absent.js"></script>')

export const CORE_FILES: Readonly<Record<string, string>> = {
  'miniwob/html/core/core.js': CORE,
  'miniwob/html/core/core.css': 'body { margin: 0; font-size: 10px }',
  'miniwob-9.9.dist-info/METADATA': 'Metadata-Version: 2.1\nName: miniwob\nVersion: 9.9\n',
}

/** `address` is where the page reach-out asks. */
export function pageFiles(address: string): Record<string, string> {
  const pages = {
    ...{
      'click-name': CLICK,
      'type-word': TYPE,
      'reach-out': reach(address),
      'never-ends': NEVER,
      leaves: leave(address),
    },
    ...{ 'hangs-late': HANGS_LATE, hangs: HANGS, fails: FAILS, forges: FORGES, lacks: LACKS },
  }
  return Object.fromEntries(Object.entries(pages).map(([name, html]) => [`miniwob/html/miniwob/${name}.html`, html]))
}

export async function wheelOf(files: Readonly<Record<string, string>>): Promise<Blob> {
  const writer = new ZipWriter(new BlobWriter('application/zip'), { useWebWorkers: false })
  for (const [name, content] of Object.entries(files)) await writer.add(name, new TextReader(content))
  return writer.close()
}

export const smallWheel = (address: string) => wheelOf({ ...CORE_FILES, ...pageFiles(address) })
