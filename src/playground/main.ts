import { mount } from 'svelte'
import './kit/theme.css'
import App from './shell/App.svelte'
import { workOffline } from './shell/offline.ts'

mount(App, { target: document.getElementById('page')! })
if (import.meta.env.PROD) void workOffline()
