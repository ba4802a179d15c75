import { Command } from '@commander-js/extra-typings'
import { print } from '@tidegate/common/terminal'
import { loadSettings } from '../config/load.js'
import { formatSettings } from '../config/show.js'
import { CONFIG } from './options.js'

export const command = () =>
  new Command('config')
    .description('Prints the settings in force, one NAME=value line each, with secrets hidden.')
    .option(...CONFIG)
    .action(({ config }) => {
      print(...formatSettings(loadSettings(process.env, config)))
    })
