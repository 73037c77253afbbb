import { Injectable } from '@nestjs/common';
import { PassportStrategy } from '@nestjs/passport';
import { Strategy } from 'passport-http-bearer';
import { Unauthenticated } from '../../shared/http/http-errors';
import { AuthenticationService } from '../authentication.service';
import { Principal } from '../principal';

const REFUSALS = {
  unknown: 'Personal API key found in request Authorization header is invalid.',
  expired: 'Personal API key found in request Authorization header has expired.',
  'user inactive': 'The user of this personal API key is deactivated.',
};

/** What passport is shown of a request. */
export interface KeyedRequest {
  /** The project of its path. */
  readonly project: number | 'current' | null;
}

/** Looks the key up; every request asks the database, so that a deleted key stops working at once (D11). */
@Injectable()
export class BearerStrategy extends PassportStrategy(Strategy, 'bearer') {
  constructor(private readonly authentication: AuthenticationService) {
    super({ passReqToCallback: true });
  }

  async validate({ project }: KeyedRequest, key: string): Promise<Principal> {
    const found = await this.authentication.principalOf(key, project);
    if (found instanceof Principal) return found;
    throw new Unauthenticated('authentication_failed', REFUSALS[found]);
  }
}
