import { describe, expect, it } from 'vitest';
import { claimScope, messageGroup, tenantTag } from '#core/identity.ts';

describe('a tenant by its claim', () => {
  it('is a scope of its own kind, which no IAM identity can have', () => {
    expect(claimScope('acme')).toBe('claim/acme');
    expect(claimScope('a@b.example:team/1+2')).toBe('claim/a@b.example:team/1+2');
  });

  it.each([undefined, null, 7, '', 'with space', 'hash#1', 'x'.repeat(129), ['acme']])('%o is nobody', (claim) => {
    expect(claimScope(claim)).toBeUndefined();
  });
});

describe('what stands for a tenant elsewhere', () => {
  it('tells nothing about it, and is always the same', () => {
    expect(tenantTag('1/ROLE')).toMatch(/^[0-9a-f]{6}$/);
    expect(messageGroup('1/ROLE')).toMatch(/^[0-9a-f]{16}$/);
    expect([tenantTag('1/ROLE'), messageGroup('1/ROLE')]).toEqual([tenantTag('1/ROLE'), messageGroup('1/ROLE')]);
    expect(tenantTag('1/ROLE')).not.toBe(tenantTag('1/OTHER'));
  });
});
