import { describe, expect, it } from 'vitest'
import { clock } from '../../../../test/helpers/measured.js'
import { childrenOf, childText, xmlRoot } from './xml.js'

describe('XML of S3 services', () => {
  it.each([
    '<R><A>a &amp; b</A><B><C>1</C></B><B><C>2</C></B><D/></R>',
    '\uFEFF<?xml version="1.0" encoding="UTF-8"?>\n<R xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><A>a &#38; b</A><B><C>1</C></B><B><C>2</C></B><D></D></R>\n',
    '<s3:R xmlns:s3="urn:s3>">\n\t<s3:A>\n a &#x26; b </s3:A>\r\n<s3:B ><s3:C>1</s3:C ></s3:B><s3:B><s3:C>2</s3:C></s3:B><s3:D /></s3:R>',
    '<!-- <R> --><R a=\'/>\' b="<x>"><A><![CDATA[a & b]]></A><B c="d"><C>1<!-- one --></C></B><?x y?><B><C>2</C></B><D/></R>',
  ])('in every style: %j', (text) => {
    const root = xmlRoot(text)
    expect(root?.name).toBe('R')
    expect(childText(root, 'A')).toBe('a & b')
    expect(childrenOf(root, 'B').map((one) => childText(one, 'C'))).toEqual(['1', '2'])
    expect([childText(root, 'D'), childText(root, 'E')]).toEqual(['', undefined])
  })

  it.each([
    '',
    'no XML',
    '<R>',
    '<R></S>',
    '<R><A></R></A>',
    '<R/><R/>',
    '<R a="></R>',
    '<!DOCTYPE R [<!ENTITY a "aaaa">]><R>&a;</R>',
    '<R><!-- </R>',
    '<a>'.repeat(100) + '</a>'.repeat(100),
  ])('is refused as %j', (text) => {
    expect(xmlRoot(text)).toBeUndefined()
  })

  it.each([
    '<',
    '<a ',
    '<!--',
    '<a b="',
    '&#',
    '<a>',
    "<a '",
    '<a/',
    '</a',
  ])('takes no long time for many %j', (part) => {
    const begun = clock()
    xmlRoot(part.repeat(4_194_304 / part.length))
    expect(clock() - begun).toBeLessThan(3_000)
  })
})
