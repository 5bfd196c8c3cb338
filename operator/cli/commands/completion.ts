import type { Command, Option } from 'commander';
import { exit } from '../exit.ts';
import { examples, type Run } from './command.ts';

export const addCompletionCommand = (program: Command, run: Run): void => {
  const completion = program.command('completion').description('print a completion script for a shell');
  for (const [shell, script] of [
    ['bash', bashScript],
    ['zsh', zshScript],
  ] as const) {
    const command = completion.command(shell).description(`for ${shell}`);
    examples(command, [
      'in the shell, or in its start file',
      `completion ${shell} > ~/.sluice-completion && . ~/.sluice-completion`,
    ]);
    run.on(command, async () => {
      run.io.out(script(wordsByPath(program)));
      return exit.done;
    });
  }
};

/** What may follow each command: its own commands, then its options and those of all. */
const wordsByPath = (program: Command): ReadonlyMap<string, readonly string[]> => {
  const words = new Map<string, readonly string[]>();
  const visit = (command: Command, path: readonly string[]) => {
    const options = [...command.options, ...(command === program ? [] : program.options)].flatMap(namesOf);
    words.set(path.join(' '), [...command.commands.map((below) => below.name()), ...options, '--help']);
    for (const below of command.commands) visit(below, [...path, below.name()]);
  };
  visit(program, []);
  return words;
};

const namesOf = ({ long }: Option): string[] => (long ? [long] : []);

/** The names of commands and options are ours: none holds a quote. */
const cases = (words: ReadonlyMap<string, readonly string[]>): string =>
  [...words].map(([path, list]) => `    '${path}') words='${list.join(' ')}' ;;`).join('\n');

/** The commands typed so far are the first words that are none of the options or their values. */
const bashScript = (words: ReadonlyMap<string, readonly string[]>): string => `_sluice() {
  local path='' next word words i
  for ((i = 1; i < COMP_CWORD; i++)); do
    word="\${COMP_WORDS[i]}"
    next="\${path:+$path }$word"
    case "$next" in
      ${[...words.keys()]
        .filter(Boolean)
        .map((path) => `'${path}'`)
        .join(' | ')}) path="$next" ;;
    esac
  done
  case "$path" in
${cases(words)}
  esac
  COMPREPLY=($(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _sluice sluice`;

const zshScript = (words: ReadonlyMap<string, readonly string[]>): string => `#compdef sluice
autoload -U +X bashcompinit && bashcompinit
${bashScript(words)}`;
