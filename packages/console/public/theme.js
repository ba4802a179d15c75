// before the first paint, so that a chosen theme does not flash
try {
  const chosen = localStorage.getItem('tidegate.theme')
  if (chosen === 'light' || chosen === 'dark') document.documentElement.dataset.theme = chosen
} catch {
  // storage is blocked: the system's colours apply
}
