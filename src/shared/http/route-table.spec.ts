import { Controller, Get, type Type } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { Test } from '@nestjs/testing';
import { Public, RequiresScope } from './access';
import { MethodNotAllowed } from './http-errors';
import { RouteTable } from './route-table';

@Controller('api/things')
class Declared {
  @Get()
  @RequiresScope('action:read')
  list(): void {}

  @Get(':id')
  @Public()
  retrieve(): void {}
}

@Controller('api/others')
class Undeclared {
  @Get()
  list(): void {}
}

describe('The route table', () => {
  const started = async (controller: Type) => {
    const module = await Test.createTestingModule({
      imports: [DiscoveryModule],
      controllers: [controller],
      providers: [RouteTable],
    }).compile();
    await module.init();
    return module.get(RouteTable);
  };

  it('lists every route with its access', async () => {
    const table = await started(Declared);
    expect(table.routes().map(({ method, path, access }) => [method, path, access])).toEqual([
      ['GET', '/api/things', { scope: 'action:read' }],
      ['GET', '/api/things/:id', 'public'],
    ]);
  });

  it('does not start with a route that declares neither a scope nor that it is public (D12)', async () => {
    await expect(started(Undeclared)).rejects.toThrow(
      'Undeclared.list declares neither a scope nor that it is public',
    );
  });

  it('tells a known path from an unknown one', async () => {
    const table = await started(Declared);
    expect(table.refusal('POST', '/api/things/7/?x=1')).toBeInstanceOf(MethodNotAllowed);
    expect(table.allowed('/api/things/7/')).toEqual(['GET', 'HEAD']);
    expect(table.refusal('POST', '/api/nothing/').message).toBe('Endpoint not found.');
    expect(table.refusal('POST', '/api/things/7/8/').message).toBe('Endpoint not found.');
  });
});
