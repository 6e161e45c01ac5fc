import { mount } from 'svelte'
import './theme.css'
import App from './App.svelte'
import { workOffline } from './offline.ts'

mount(App, { target: document.getElementById('page')! })
if (import.meta.env.PROD) void workOffline()
