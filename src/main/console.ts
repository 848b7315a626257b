// `pawl/console` is a module of the web console. A bundler leaves its import as it is; the console's page says where it is.
throw new Error(
  'pawl/console runs in the web console only: mark "pawl/console", "react" and "react/jsx-runtime" as external when you build your screens.',
);
export {};
