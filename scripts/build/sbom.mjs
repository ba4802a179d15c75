// The bill of materials of the built package: CycloneDX 1.6, reproducible for the same packages.
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { Utils } from '@cyclonedx/cyclonedx-library/Contrib/FromNodePackageJson'
import { Factories } from '@cyclonedx/cyclonedx-library/Contrib/License'
import { ComponentScope, ComponentType, LifecyclePhase } from '@cyclonedx/cyclonedx-library/Enums'
import { Bom, Component, HashDictionary, LicenseRepository, Property } from '@cyclonedx/cyclonedx-library/Models'
import { JSON as Json, JsonSerializer } from '@cyclonedx/cyclonedx-library/Serialize'
import { Spec1dot6 } from '@cyclonedx/cyclonedx-library/Spec'
import parseExpression from 'spdx-expression-parse'
import { licenceOf } from './licences.mjs'
import { dependenciesOf, entryOf, installedPackages, located, manifestOf, nameOf, SERVICE } from './packages.mjs'

const licences = new Factories.LicenseFactory(parseExpression)

/**
 * Returns the bill of materials as JSON: bundled packages (property `tidegate:bundled`) and installed ones, each with
 * hash and licences, of the service or of a workspace. Its timestamp is `SOURCE_DATE_EPOCH` in seconds, if set.
 */
export function billOfMaterials(root, lock, bundled, workspace = '') {
  const inBundle = new Set(bundled)
  const keys = [...new Set([...bundled, ...installedPackages(lock, workspace)])]
  /** By purl, since the lockfile may contain the same version of a package several times. */
  const components = new Map()
  for (const key of keys) {
    const purl = purlOf(lock, key)
    const one = components.get(purl) ?? componentOf(root, lock, key, ComponentType.Library)
    components.set(purl, one)
    if (entryOf(lock, key).optional !== true && entryOf(lock, key).devOptional !== true)
      one.scope = ComponentScope.Required
    if (inBundle.has(key)) mark(one)
  }
  for (const key of keys)
    for (const needed of dependenciesOf(lock, key, true))
      depend(components.get(purlOf(lock, key)), components, lock, needed)

  const type = workspace === '' ? ComponentType.Application : ComponentType.Library
  const product = componentOf(root, lock, workspace, type)
  product.scope = undefined
  const own = workspace === '' ? ['', ...SERVICE] : [workspace]
  const bundledDirectly = own.flatMap((from) =>
    Object.keys({ ...lock.packages[from].dependencies, ...lock.packages[from].devDependencies })
      .map((name) => located(lock, from, name))
      .filter(Boolean),
  )
  // some libraries use a package without declaring it
  const named = new Set(keys.flatMap((key) => dependenciesOf(lock, key, true)))
  const unnamed = bundled.filter((key) => !named.has(key))
  for (const key of [...dependenciesOf(lock, workspace), ...bundledDirectly, ...unnamed])
    depend(product, components, lock, key)
  const bom = new Bom()
  bom.metadata.component = product
  bom.metadata.lifecycles.add(LifecyclePhase.Build)
  const { SOURCE_DATE_EPOCH } = process.env
  if (SOURCE_DATE_EPOCH) bom.metadata.timestamp = new Date(Number(SOURCE_DATE_EPOCH) * 1000)
  for (const component of components.values()) bom.components.add(component)

  const serializer = new JsonSerializer(new Json.Normalize.Factory(Spec1dot6))
  const write = () => `${serializer.serialize(bom, { sortLists: true, space: 2 })}\n`
  bom.serialNumber = serialOf(write())
  return write()
}

/** Returns a package as component, with the licence of the lockfile, or else of its package.json. */
function componentOf(root, lock, key, type) {
  const { version, integrity, license } = entryOf(lock, key)
  const [name, group] = nameOf(lock, key).split('/').reverse()
  const purl = purlOf(lock, key)
  const component = new Component(type, name, { bomRef: purl, group, version, purl, scope: ComponentScope.Optional })
  if (integrity) component.hashes = new HashDictionary([Utils.parsePackageIntegrity(integrity)])
  const isInstalled = existsSync(join(root, key, 'package.json'))
  const licence = license ?? (isInstalled ? licenceOf(manifestOf(root, key)) : undefined)
  if (licence) component.licenses = new LicenseRepository([licences.makeFromString(licence)])
  return component
}

/** Marks a component as bundled, and therefore as required, even if npm has it as development dependency. */
function mark(component) {
  component.scope = ComponentScope.Required
  const isMarked = [...component.properties].some(({ name }) => name === 'tidegate:bundled')
  if (!isMarked) component.properties.add(new Property('tidegate:bundled', 'true'))
}

/** Adds a dependency between two components, if the package contains both. */
function depend(component, components, lock, key) {
  const needed = key in lock.packages ? components.get(purlOf(lock, key)) : undefined
  if (needed) component.dependencies.add(needed.bomRef)
}

function purlOf(lock, key) {
  return `pkg:npm/${nameOf(lock, key).replace('@', '%40')}@${entryOf(lock, key).version}`
}

/** Returns a reproducible UUID of the content. */
function serialOf(content) {
  const hex = createHash('sha256').update(content).digest('hex')
  const parts = [hex.slice(0, 8), hex.slice(8, 12), `8${hex.slice(13, 16)}`, `8${hex.slice(17, 20)}`, hex.slice(20, 32)]
  return `urn:uuid:${parts.join('-')}`
}
