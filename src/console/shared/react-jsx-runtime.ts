// The console's own JSX runtime, for the screens of plugins: it must belong to the console's copy of React.
export { Fragment, jsx, jsxs } from "react/jsx-runtime";
