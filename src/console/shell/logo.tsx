/** A pawl on its ratchet. */
export function Logo() {
  return (
    <span className="logo">
      <svg viewBox="0 0 32 32" width="30" height="30" aria-hidden="true">
        <rect width="32" height="32" rx="8" className="logo-ground" />
        <path className="logo-rack" d="M5.5 24 12 16v8l6.500-8v8l6.500-8v8" />
        <path className="logo-pawl" d="M8.500 8.500 20 13.200" />
        <circle className="logo-pin" cx="8.500" cy="8.500" r="2.100" />
      </svg>
      <span>Pawl</span>
    </span>
  );
}
