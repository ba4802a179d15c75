import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto'
import { isIPv4 } from 'node:net'

/** A self-signed certificate and its key, both as PEM. */
export interface Certificate {
  cert: string
  key: string
}

/** Makes a certificate for a name or an IPv4 address, valid from yesterday to tomorrow. */
export function selfSigned(host: string): Certificate {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const day = 86_400_000
  const name = der(0x30, der(0x31, der(0x30, oid(2, 5, 4, 3), der(0x0c, Buffer.from(host)))))
  const validity = der(0x30, time(Date.now() - day), time(Date.now() + day))
  const algorithm = der(0x30, oid(1, 2, 840, 10045, 4, 3, 2))
  const key = publicKey.export({ type: 'spki', format: 'der' })
  const alternative = isIPv4(host) ? der(0x87, Buffer.from(host.split('.').map(Number))) : der(0x82, Buffer.from(host))
  const extensions = der(
    0xa3,
    der(
      0x30,
      extension(oid(2, 5, 29, 17), der(0x30, alternative)),
      extension(oid(2, 5, 29, 19), der(0x30, der(0x01, Buffer.from([0xff])))),
      extension(oid(2, 5, 29, 14), der(0x04, createHash('sha1').update(key).digest())),
    ),
  )
  const serial = der(0x02, Buffer.concat([Buffer.from([1]), randomBytes(8)]))
  const version = der(0xa0, der(0x02, Buffer.from([2])))
  const body = der(0x30, version, serial, algorithm, name, validity, name, key, extensions)
  const signature = sign('sha256', body, privateKey)
  const certificate = der(0x30, body, algorithm, der(0x03, Buffer.from([0]), signature))
  const lines = certificate.toString('base64').replace(/.{64}/g, '$&\n')
  return {
    cert: `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`,
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  }
}

function der(tag: number, ...parts: Buffer[]): Buffer {
  const body = Buffer.concat(parts)
  const { length } = body
  const size = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 255]
  return Buffer.concat([Buffer.from([tag, ...size]), body])
}

function oid(first: number, second: number, ...rest: number[]): Buffer {
  const bytes = rest.flatMap((part) => {
    const groups = [part & 127]
    for (let left = part >> 7; left > 0; left >>= 7) groups.unshift((left & 127) | 128)
    return groups
  })
  return der(0x06, Buffer.from([first * 40 + second, ...bytes]))
}

function time(milliseconds: number): Buffer {
  const digits = new Date(milliseconds).toISOString().replace(/[-:T]|\.\d+/g, '')
  return der(0x18, Buffer.from(digits))
}

function extension(id: Buffer, value: Buffer): Buffer {
  return der(0x30, id, der(0x04, value))
}
