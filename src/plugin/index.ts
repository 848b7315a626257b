export { definePlugin, pluginOf } from "./define-plugin.ts";
export type { Plugin, PluginDefinition } from "./define-plugin.ts";
export type { PluginSetting, PluginSettings, Setting, SettingValues } from "./setting.ts";
