/** The form that asks for a token, in pages that have an element with the id "sign-in". */
import { onSignIn, setToken, token } from './http.js';
import { byId, make } from './dom.js';

/**
 * Shows the form when the server requires a token, and calls `onToken` when the visitor has given one. By default the page reloads, so that
 * everything is requested again.
 */
export function watchSignIn(onToken = () => location.reload()) {
  const form = byId('sign-in');
  const note = make('p', { class: 'soft', role: 'status' });
  const field = make('input', { id: 'token', type: 'password', autocomplete: 'current-password', required: true, minlength: 16, maxlength: 256 });
  form.append(
    make('label', { for: 'token' }, 'This server wants a token.'),
    make('p', { class: 'soft hint' }, 'Whoever runs it can tell you; it is kept until this tab is closed.'),
    // password managers expect a user name beside it
    make('input', { type: 'text', autocomplete: 'username', value: 'posed', hidden: true }),
    field, make('button', { type: 'submit' }, 'Sign in'), note);
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    setToken(field.value.trim());
    form.hidden = true;
    onToken();
  });
  onSignIn((problem) => {
    if (!form.hidden) return;
    note.textContent = token() ? problem.message : '';
    form.hidden = false;
    field.focus();
  });
}
