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

/** Looks the key up; every request asks the database, so that a deleted key stops working at once (D11). */
@Injectable()
export class BearerStrategy extends PassportStrategy(Strategy, 'bearer') {
  constructor(private readonly authentication: AuthenticationService) {
    super();
  }

  async validate(key: string): Promise<Principal> {
    const found = await this.authentication.principalOf(key);
    if (found instanceof Principal) return found;
    throw new Unauthenticated('authentication_failed', REFUSALS[found]);
  }
}
