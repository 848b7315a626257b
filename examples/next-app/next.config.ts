import type { NextConfig } from "next";

const config: NextConfig = {
  // Pawl reads its SQL files and loads its PostgreSQL from its own folder, so it must not be bundled.
  serverExternalPackages: ["pawl"],
};

export default config;
