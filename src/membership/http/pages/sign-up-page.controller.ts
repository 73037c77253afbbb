import { Body, Controller, Get, Param, Post, Req } from '@nestjs/common';
import { Invalid } from '../../../shared/domain/domain-error';
import { Counted } from '../../../shared/http/access';
import type { ApiRequest } from '../../../shared/http/api-request';
import { readBody } from '../../../shared/http/body.pipe';
import { Pages } from '../../../shared/http/pages/pages';
import type { WebPage } from '../../../shared/http/pages/web-page';
import { InviteExpired, InviteUnknown } from '../../domain/invite-errors';
import { SignUpService } from '../../sign-up.service';
import { SignUpRequest } from '../sign-up.requests';
import { endedPage, expiredPage } from './ended.pages';
import { hinderedPage } from './hindered.page';
import { type Attempt, offerPage } from './offer.page';
import { refuseOtherSites } from './origin';
import { welcomePage } from './welcome.page';

/** The paths of the page, as requests have them: the bodies sent there are forms. */
export const SIGN_UP_PAGE = /^\/signup\/[^/]+\/?$/i;

/** What signing up answers (D23). */
interface SignedUp {
  readonly organization: { readonly name: string };
  readonly personal_api_key: { readonly value: string };
}

/** The page behind the link of an invite (D23): looked at by GET, which changes nothing, and accepted by POST. */
@Controller('signup')
@Pages()
export class SignUpPageController {
  constructor(private readonly signUps: SignUpService) {}

  @Get(':secret')
  show(@Param('secret') secret: string, @Req() request: ApiRequest): Promise<WebPage> {
    return this.page(secret, request, null);
  }

  @Post(':secret')
  @Counted()
  async accept(
    @Param('secret') secret: string,
    @Body() body: unknown,
    @Req() request: ApiRequest,
  ): Promise<WebPage> {
    refuseOtherSites(request);
    try {
      const answer = await this.signUps.signUp(secret, () => {
        const { first_name, last_name = '' } = readBody(SignUpRequest, body);
        return { firstName: first_name, lastName: last_name };
      });
      const { organization, personal_api_key } = JSON.parse(answer.json) as SignedUp;
      return welcomePage(organization.name, personal_api_key.value, request.publicUrl);
    } catch (error) {
      if (!(error instanceof Invalid)) throw error;
      return this.page(secret, request, { error, body });
    }
  }

  /** What the invite offers now, or why it cannot be accepted. */
  private async page(secret: string, { publicUrl }: ApiRequest, attempt: Attempt | null): Promise<WebPage> {
    try {
      const offer = await this.signUps.look(secret);
      return offer.hindrance
        ? hinderedPage(offer, offer.hindrance, `${publicUrl}/api/signup/${secret}/`)
        : offerPage(offer, attempt);
    } catch (error) {
      if (error instanceof InviteUnknown) return endedPage(error.ending);
      if (error instanceof InviteExpired) return expiredPage();
      throw error;
    }
  }
}
