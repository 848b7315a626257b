// The console's own JSX runtime, for the screens of plugins.
export { Fragment, jsx, jsxs } from "react/jsx-runtime";
