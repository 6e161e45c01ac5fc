/** Included by sources in the wheel, which use nothing of it in a browser. */
