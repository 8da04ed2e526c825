#!/bin/sh
# An evening of a club, entered from paper: from an empty folder to a picture of the board.
# Run it in an empty folder. docs/club-evening.md explains each step.
set -eu
export LEAGUE_LANGUAGE=es

# The league and its players
league init --name "Peña La Ceiba" --time-zone America/Santo_Domingo
league player add "Altagracia Reyes" --region Gascue
league player add "Bienvenido Mota" --region Gascue
league player add "Carmen Peña" --region "Villa Juana"
league player add "Domingo Ureña" --region "Villa Juana"
league player add "Estela Núñez" --region Gascue
league player add "Fausto Almonte" --region "Los Mina"
league player add "Gloria Báez" --region "Los Mina"
league player add "Héctor Lora" --region Gascue

# First table: only the losers' pips, a capicúa, a pase corrido, and a mistake
league match open "Altagracia Reyes & Bienvenido Mota" "Carmen Peña & Domingo Ureña" --ruleset dominican-200 --id mesa-1
league hand mesa-1 --ended domino --by Altagracia --leftover "Carmen & Domingo=48" --yes
league hand mesa-1 --ended domino --by Bienvenido --leftover "Carmen & Domingo=31" --capicua --yes
league hand mesa-1 --ended domino --by Carmen --leftover "Altagracia & Bienvenido=72" --yes
league hand correct mesa-1 3 --leftover "Altagracia & Bienvenido=27" --reason "las cifras estaban al revés" --yes
league hand mesa-1 --ended domino --by Altagracia --leftover "Carmen & Domingo=30" --pase-corrido "Altagracia & Bienvenido" --yes
league hand mesa-1 --ended domino --winner Altagracia --leftover "Carmen & Domingo=22" --yes

# Second table: a tranque of which the sheet names only the winners
league match open "estela nunez & fausto almonte" "gloria baez & hector lora" --ruleset dominican-200 --id mesa-2
league hand mesa-2 --ended domino --by Gloria --leftover "Estela & Fausto=64" --yes
league hand mesa-2 --ended block --winner "Estela & Fausto" --leftover "Gloria & Héctor=57" --yes
league hand mesa-2 --ended domino --by Héctor --leftover "Estela & Fausto=70" --yes
league hand mesa-2 --ended domino --by Gloria --leftover Estela=41 --leftover Fausto=27 --yes

# Third table: they stop early, and the side that leads has won
league match open "Altagracia Reyes & Bienvenido Mota" "Gloria Báez & Héctor Lora" --ruleset dominican-200 --id mesa-3
league hand mesa-3 --ended domino --by Héctor --leftover "Altagracia & Bienvenido=55" --yes
league match end mesa-3

# Fourth table: a side goes home
league match open "Carmen Peña & Domingo Ureña" "Estela Núñez & Fausto Almonte" --ruleset dominican-200 --id mesa-4
league match forfeit mesa-4 --by "Carmen & Domingo" --yes

# What came of it: the board, a picture of it to share, and a backup
league match list
league board 2v2
league board 2v2 --png tabla.png
league backup liga.backup
