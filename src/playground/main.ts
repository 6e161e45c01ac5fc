import { mount } from 'svelte'
import './kit/palette.css'
import './kit/elements.css'
import './kit/controls.css'
import App from './shell/App.svelte'

const page = document.getElementById('page')!
// In a task of its own: evaluating the modules has taken one, and none should hold the thread for 50 ms.
setTimeout(() => {
  page.replaceChildren()
  mount(App, { target: page })
})
