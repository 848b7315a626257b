import { useI18n } from "../texts/i18n.tsx";

/** The keyboard shortcuts and what they do. */
export function ShortcutList() {
  const { t } = useI18n();
  const { keys } = t.settings;
  const shortcuts: [readonly string[], string][] = [
    [["Ctrl K"], keys.palette],
    [["?"], keys.help],
    [["G", "O / T / E / M / S"], keys.go],
    [["/"], keys.search],
    [["← ↑ ↓ →"], keys.arrows],
    [["Enter"], keys.open],
    [["M"], keys.move],
    [["J / K"], keys.neighbours],
    [["Esc"], keys.escape],
  ];
  return (
    <dl className="definition">
      {shortcuts.map(([pressed, meaning]) => (
        <div key={meaning} className="pair">
          <dt className="row">
            {pressed.map((key) => (
              <kbd key={key} className="kbd">
                {key}
              </kbd>
            ))}
          </dt>
          <dd>{meaning}</dd>
        </div>
      ))}
    </dl>
  );
}
