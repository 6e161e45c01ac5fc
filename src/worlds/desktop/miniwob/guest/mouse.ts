/**
 * The mouse of a page without a person: its events are made where a browser would make them.
 *
 * Sent to the page as text, so it refers to nothing outside of itself.
 */
import type { PageCommand, Place } from '../protocol.ts'
import type { GuestFocus } from './focus.ts'

export type MouseCommand = Extract<PageCommand, { at: Place }>

export interface GuestMouse {
  /** False where there is nothing to act on. */
  act(command: MouseCommand): boolean
  /** What a key on a button does. */
  click(element: Element): void
}

export function giveMouse(find: (mark: number) => Element | null, focus: GuestFocus): GuestMouse {
  type Point = { x: number; y: number }
  let pointer: Element | null = null

  const mouse = (target: Element, type: string, { x, y }: Point, buttons = 0, to: Element | null = null) => {
    const options = {
      ...{ bubbles: !['mouseenter', 'mouseleave'].includes(type), cancelable: true, view: window },
      ...{
        clientX: x,
        clientY: y,
        screenX: x,
        screenY: y,
        buttons,
        detail: type === 'click' ? 1 : 0,
        relatedTarget: to,
      },
    }
    return target.dispatchEvent(
      type.startsWith('pointer')
        ? new PointerEvent(type, { ...options, pointerType: 'mouse', isPrimary: true, pointerId: 1 })
        : new MouseEvent(type, options),
    )
  }
  const moveTo = (target: Element, point: Point, buttons = 0) => {
    if (target !== pointer) {
      const before = pointer?.isConnected ? pointer : null
      const isIn = (outer: Element, inner: Element | null) => inner !== null && outer.contains(inner)
      const chain = (from: Element | null) => {
        const all: Element[] = []
        for (let element = from; element !== null; element = element.parentElement) all.push(element)
        return all
      }
      if (before) {
        mouse(before, 'mouseout', point, buttons, target)
        for (const left of chain(before)) if (!isIn(left, target)) mouse(left, 'mouseleave', point, buttons, target)
      }
      mouse(target, 'mouseover', point, buttons, before)
      for (const entered of chain(target).reverse())
        if (!isIn(entered, before)) mouse(entered, 'mouseenter', point, buttons, before)
      pointer = target
    }
    mouse(target, 'pointermove', point, buttons)
    mouse(target, 'mousemove', point, buttons)
  }

  const centre = (element: Element): Point => {
    const { left, top, width, height } = element.getBoundingClientRect()
    return { x: left + width / 2, y: top + height / 2 }
  }
  /** Where a place is, and what a mouse meets there. Scrolls to an element that is out of sight. */
  const aim = (place: Place): { point: Point; target: Element } | null => {
    if (!('mark' in place)) {
      const target = document.elementFromPoint(place.x, place.y)
      return target && { point: place, target }
    }
    const element = find(place.mark)
    if (element === null) return null
    let point = centre(element)
    if (document.elementFromPoint(point.x, point.y) === null) {
      element.scrollIntoView({ block: 'nearest' })
      point = centre(element)
    }
    const met = document.elementFromPoint(point.x, point.y)
    return { point, target: met !== null && element.contains(met) ? met : element }
  }
  const press = ({ point, target }: { point: Point; target: Element }) => {
    mouse(target, 'pointerdown', point, 1)
    if (mouse(target, 'mousedown', point, 1)) {
      const label = target.closest('label')
      focus.moveTo(target.closest(focus.focusable) ?? (label?.control?.matches(focus.focusable) ? label.control : null))
    }
  }
  const release = ({ point, target }: { point: Point; target: Element }) => {
    mouse(target, 'pointerup', point)
    mouse(target, 'mouseup', point)
  }
  const choose = (option: HTMLOptionElement) => {
    const menu = option.closest('select')
    if (menu === null || menu.disabled || option.disabled) return false
    option.selected = menu.multiple ? !option.selected : true
    menu.dispatchEvent(new Event('input', { bubbles: true }))
    menu.dispatchEvent(new Event('change', { bubbles: true }))
    return true
  }
  const drag = (from: Place, to: Place) => {
    const start = aim(from)
    if (start === null) return false
    moveTo(start.target, start.point)
    press(start)
    const end = aim(to)
    if (end === null) return false
    const MOVES = 5
    for (let move = 1; move <= MOVES; move++) {
      const between = (a: number, b: number) => a + ((b - a) * move) / MOVES
      const point = { x: between(start.point.x, end.point.x), y: between(start.point.y, end.point.y) }
      moveTo(document.elementFromPoint(point.x, point.y) ?? start.target, point, 1)
    }
    const target = document.elementFromPoint(end.point.x, end.point.y) ?? start.target
    release({ point: end.point, target })
    if (target === start.target) mouse(target, 'click', end.point)
    return true
  }
  const scroll = (from: Element, isDown: boolean) => {
    let box: Element | null = from
    while (box !== null && box.scrollHeight <= box.clientHeight) box = box.parentElement
    if (box === null) return false
    box.scrollTop += (isDown ? 1 : -1) * box.clientHeight
    return box.dispatchEvent(new Event('scroll'))
  }

  return {
    act(command) {
      if (command.kind === 'drag') return drag(command.at, command.to)
      const aimed = aim(command.at)
      if (aimed === null) return false
      if (command.kind === 'select') return getSelection()?.selectAllChildren(aimed.target) === undefined
      if (command.kind === 'scroll') return scroll(aimed.target, command.isDown)
      moveTo(aimed.target, aimed.point)
      if (command.kind === 'hover') return true
      if (aimed.target instanceof HTMLOptionElement) return choose(aimed.target)
      press(aimed)
      release(aimed)
      mouse(aimed.target, 'click', aimed.point)
      return true
    },
    click: (element) => void mouse(element, 'click', centre(element)),
  }
}
