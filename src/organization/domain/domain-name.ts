/** A domain or subdomain as DNS knows it, in lower case (DOM-06). */
export const DOMAIN_NAME = /^([a-z0-9]+(-[a-z0-9]+)*\.)+[a-z]{2,}$/;
