// `pawl/console` is a module of the web console. A bundler must leave the import unchanged; the console's page resolves it.
throw new Error(
  'pawl/console runs in the web console only: mark "pawl/console", "react" and "react/jsx-runtime" as external when you build your screens.',
);
export {};
