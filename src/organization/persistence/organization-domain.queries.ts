import { Injectable } from '@nestjs/common';
import type { Page, PageWindow, Representation } from '../../shared/domain/representation';
import { pageStatement, resourceStatement } from '../../shared/persistence/statement';
import { Transaction } from '../../shared/persistence/transaction';

const COLUMNS = `
  d.id, d.domain, d.verified_at IS NOT NULL AS is_verified, iso8601(d.verified_at) AS verified_at,
  d.verification_challenge, d.jit_provisioning_enabled, d.sso_enforcement,
  coalesce(d.saml_entity_id <> '' AND d.saml_acs_url <> '' AND d.saml_x509_cert <> '', false) AS has_saml,
  d.saml_entity_id, d.saml_acs_url, d.saml_x509_cert`;

const RETRIEVE = resourceStatement('domain.retrieve', {
  columns: COLUMNS,
  from: 'organization_domains d',
  where: 'd.organization_id = $1 AND d.id = $2',
});

const LIST = pageStatement('domain.list', {
  columns: COLUMNS,
  from: 'organization_domains d',
  where: 'd.organization_id = $1',
  order: 'd.domain, d.id',
});

@Injectable()
export class OrganizationDomainQueries {
  constructor(private readonly transaction: Transaction) {}

  /** @throws NotFound for another organization's as well */
  retrieve(organizationId: string, id: string): Promise<Representation> {
    return this.transaction.resource(RETRIEVE, [organizationId, id]);
  }

  /** In the order of the alphabet (PAGE-07). */
  list(organizationId: string, window: PageWindow): Promise<Page> {
    return this.transaction.page(LIST, [organizationId], window);
  }
}
