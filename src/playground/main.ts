import { mount } from 'svelte'
import './kit/theme.css'
import App from './shell/App.svelte'
import { workOffline } from './shell/offline.ts'

const page = document.getElementById('page')!
page.replaceChildren()
mount(App, { target: page })
if (import.meta.env.PROD) void workOffline()
