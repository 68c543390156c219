"""The longer texts of the help."""

from __future__ import annotations

OVERVIEW = """GPU sessions on a share of this machine's GPUs, within your team's quota.

A session is a Jupyter Server, or a command, with a fraction of a GPU or whole ones.
It goes on when you close the notebook or the terminal."""

EXAMPLES = {
    "": """examples:
  {prog} submit exp1 -g 0.5 --interactive      a Jupyter Server on half a GPU
  {prog} submit train1 -g 2 -- python train.py  a training on two
  {prog} list
  {prog} help submit""",
    "submit": """A training needs a command, after `--`. With --interactive and no command
the session is a Jupyter Server, and what stands after `--` are its arguments.
A command runs in the folder you are in, a Jupyter Server in JupyterLab's.

examples:
  {prog} submit exp1 -g 0.5 -p team-a --interactive
  {prog} submit exp2 --gpu-memory 8Gi --gpu-compute 30 --interactive --wait
  {prog} submit train1 -g 1 -e EPOCHS=10 -- python train.py --lr 0.1
  {prog} submit board --interactive --port 6006 --command "tensorboard --logdir runs" """,
    "list": """examples:
  {prog} list
  {prog} list -p team-a --state running,waiting""",
    "describe": """examples:
  {prog} describe exp1
  {prog} describe team-a/exp1""",
    "logs": """examples:
  {prog} logs train1 --tail 50
  {prog} logs train1 -f""",
    "exec": """The program runs with the session's share, environment and folder, without a
shell. Options of the program go after `--`.

examples:
  {prog} exec exp1 nvidia-smi
  {prog} exec exp1 -- python -c "import torch; print(torch.cuda.device_count())" """,
    "bash": """examples:
  {prog} bash exp1""",
    "open": """The address is one of your JupyterLab; it asks you to log in if you have not.

examples:
  {prog} open exp1
  {prog} open board --port 6006""",
    "suspend": """The GPUs are free afterwards; `resume` brings the session back with the same
name and share, and starts its program anew.

examples:
  {prog} suspend exp1""",
    "resume": """examples:
  {prog} resume exp1 --wait""",
    "resize": """A session that runs is stopped first, and waits for its new share in its
project's line. Without a share it takes the one that `describe` advises.

examples:
  {prog} resize exp1
  {prog} resize exp1 -g 0.25 --wait""",
    "stop": """examples:
  {prog} stop exp1 exp2""",
    "delete": """examples:
  {prog} delete exp1
  {prog} delete exp1 --stop""",
    "project": """What is not named stays as it is. An admin is who the configuration says;
everyone may list and show.

examples:
  {prog} project list
  {prog} project set team-a --quota 4 --limit 8 --dry-run
  {prog} project set team-a --members ana,ben --interactive-duration 8h
  {prog} project delete team-a --drain""",
    "rules": """examples:
  {prog} rules
  {prog} rules --grace 2m --min-runtime 10m --consolidate yes
  {prog} rules --consolidate yes --dry-run""",
    "groups": """A project names the groups that its sessions may run on: project set --train-on.

examples:
  {prog} groups set big dgx1-1 dgx1-2
  {prog} groups set shared dgx1-2 --separate
  {prog} groups delete shared --dry-run""",
    "policy": """Levels, weakest first: built-in, everyone, project:NAME, kind:KIND, and a
session's own wish (submit --idle-timeout). A stronger level wins, unless a weaker one
has locked the rule. Times are 30m, 2h, 1d; 0 is never or none. Everyone may show and explain.
A rule may be said as an option, too: --idle-timeout 2h. Without a level, `try` is for
everyone.

examples:
  {prog} policy show
  {prog} policy set everyone idle_timeout=2h warn_before=10m --lock warn_before
  {prog} policy set project:team-a idle_timeout=4h idle_timeout_max=8h
  {prog} policy set everyone "quiet_hours=daily 22:00-06:00 Europe/Berlin: 20m"
  {prog} policy try everyone idle_timeout=30m
  {prog} policy unset project:team-a idle_timeout --dry-run
  {prog} policy explain exp1
  {prog} policy exempt user:ana --until 3d --reason "demo for the board"
  {prog} policy unexempt user:ana""",
    "keep-alive": """An idle session is then not suspended for that time; how long and how often is
the policy's. A session that is used needs it not.

examples:
  {prog} keep-alive exp1
  {prog} keep-alive exp1 30m""",
    "audit": """examples:
  {prog} audit
  {prog} audit -n 100""",
    "simulate": """Plays the steps of the file through the scheduling core and shows what stands
after each. It needs no server and no GPU, and changes nothing. It ends with exit
code 1 if the file expects something else, with 2 if it cannot be read.

examples:
  {prog} simulate quota.yaml""",
    "top": """examples:
  {prog} top
  {prog} top -p team-a""",
    "history": """Each row is the mean of a step of time; a longer time has longer steps. Times in
which nothing ran or waited have no row. By user, a second table sums up the GPU hours of the whole
time; users are named to members of their project, and to admins.

examples:
  {prog} history
  {prog} history -p team-a --hours 168 --points 200
  {prog} history --by user --hours 720
  {prog} history --hours 2160 --csv""",
    "controller": """It starts by itself when it is first needed. Sessions run on when it stops, and
whoever asks next starts another. `run` keeps it in this terminal, with its log.

examples:
  {prog} controller
  {prog} controller status --all
  {prog} controller stop""",
    "config": """The preferred project is taken wherever none is named, in notebooks and in
the shell.

examples:
  {prog} config project team-a
  {prog} config project
  {prog} config project --unset""",
}
