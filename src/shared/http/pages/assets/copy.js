// A button with data-copy copies the text of the field that it names, and tells so in data-status. Without this script
// it stays hidden.
for (const button of document.querySelectorAll('button[data-copy]')) {
  const field = document.getElementById(button.dataset.copy);
  const status = document.getElementById(button.dataset.status);
  const copy = async () => {
    field.select();
    // Over plain http a browser offers no clipboard, but most still copy what is selected.
    if (navigator.clipboard) await navigator.clipboard.writeText(field.value);
    else if (!document.execCommand('copy')) throw new Error('The browser does not copy.');
  };
  button.addEventListener('click', () => {
    copy().then(
      () => {
        status.textContent = 'Copied.';
      },
      () => {
        status.textContent =
          'The browser does not allow it. The key is selected: copy it with Ctrl+C or Cmd+C.';
        field.focus();
      },
    );
  });
  button.hidden = false;
}
