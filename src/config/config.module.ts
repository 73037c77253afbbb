import { type DynamicModule, Module } from '@nestjs/common';
import { Settings } from './settings';

/** Makes the checked settings injectable everywhere. */
@Module({})
// biome-ignore lint/complexity/noStaticOnlyClass: Nest's form of a module with parameters
export class ConfigModule {
  static with(settings: Settings): DynamicModule {
    return {
      module: ConfigModule,
      global: true,
      providers: [{ provide: Settings, useValue: settings }],
      exports: [Settings],
    };
  }
}
