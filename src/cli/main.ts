import 'reflect-metadata';
import { CommandFactory } from 'nest-commander';
import { CliModule } from './cli.module';
import { exitCodeOf, explained, Shown } from './failures';

async function main(): Promise<void> {
  const cli = await CommandFactory.createWithoutRunning(CliModule, {
    logger: false,
    abortOnError: false,
    // Told below, once, whatever it is.
    serviceErrorHandler: (error) => {
      throw error;
    },
    outputConfiguration: { outputError: () => undefined },
    helpConfiguration: { helpWidth: Math.min(process.stdout.columns ?? 100, 100) },
  });
  try {
    await CommandFactory.runApplication(cli);
  } finally {
    await cli.close();
  }
}

// Whoever reads may have seen enough: `hedgerow keys list | head -1`.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit();
  throw error;
});

main().catch((error: unknown) => {
  if (!(error instanceof Shown)) process.stderr.write(`hedgerow: ${explained(error)}\n`);
  process.exitCode = exitCodeOf(error);
});
