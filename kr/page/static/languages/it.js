// The page in Italian, in the words of the Federazione Italiana Dama; the person is called tu. One word per idea:
//
//   board damiera          square casella             man pedina               king dama
//   piece pezzo            move mossa                 capture presa, prendere  exchange cambio
//   shot tiro              double corner biscacco     win vittoria             draw patta
//   loss sconfitta         resign abbandonare         ply semimossa            line linea
//   variation variante     opening apertura           ballot apertura (n.)     ending finale
//   game partita           match sfida                level livello            puzzle problema
//   review revisione       mark segno                 inaccuracy imprecisione  mistake errore
//   blunder errore grave   slip sbaglio               oversight svista         trap trappola
//   score punteggio        evaluation valutazione     search calcolo           engine motore
//   hint suggerimento      undo, redo annulla, ripristina                      take back ritirare
//   archive archivio       explorer Esplora           region zona              run lavoro
//   book libro             cook novità               cooked confutata
//   event torneo           give away regalare         hold the draw tenere la patta
//   theme tema             course corso               step passo               rating punteggio
//   repertoire repertorio  mark as mine segna come mia                         reply risposta

export const texts = {
  // viewer/board-state.js
  "black man": "pedina nera",
  "black king": "dama nera",
  "white man": "pedina bianca",
  "white king": "dama bianca",
  "The capture goes on from {square}: begin again with {first}": "La presa continua da {square}: ricomincia da {first}",
  "{from}-{to} isn't possible: {from} can go to {targets}":
    "{from}-{to} non è possibile: da {from} si può andare in {targets}",
  "The {piece} on {square} is blocked: {from}-{to} isn't possible":
    "La {piece} in {square} è bloccata: {from}-{to} non è possibile",
  "The {piece} on {square} is blocked": "La {piece} in {square} è bloccata",
  "{square} is a {piece}: Black is to move": "In {square} c'è una {piece}: tocca al Nero",
  "{square} is a {piece}: White is to move": "In {square} c'è una {piece}: tocca al Bianco",
  others: "altre",
  "{moves} aren't possible: you must capture, {captures}": "{moves} non sono possibili: devi prendere, {captures}",
  "{moves} isn't possible: you must capture, {captures}": "{moves} non è possibile: devi prendere, {captures}",
  "The {piece} on {square} can't move: you must capture, {captures}":
    "La {piece} in {square} non può muovere: devi prendere, {captures}",
  "Several ways: choose the next square, {squares}": "Ci sono più percorsi: scegli la prossima casella, {squares}",

  // viewer/board.js
  Board: "Damiera",
  empty: "vuota",
  chosen: "scelta",
  "can be moved to": "si può andare qui",
  "must capture": "deve prendere",
  "can move": "può muovere",
  "arrow to {square}": "freccia verso {square}",
  circled: "cerchiata",
  "An arrow from {square}: go to its end and press A": "Freccia da {square}: vai alla fine e premi A",

  // viewer/current.js
  "The move on the board": "La mossa sulla damiera",
  "White to move": "Tocca al Bianco",
  "Black to move": "Tocca al Nero",
  "Better: {moves}": "Meglio: {moves}",

  // viewer/graph.js
  inaccuracy: "imprecisione",
  mistake: "errore",
  blunder: "errore grave",
  "only move": "mossa unica",
  "Not judged: the opening.": "Non giudicata: fa parte dell'apertura.",
  "Not judged: there was no other move.": "Non giudicata: non c'era altra mossa.",
  "Not judged: the search was too short to see another move.":
    "Non giudicata: il calcolo è stato troppo breve per vedere un'altra mossa.",
  Start: "Inizio",
  "Not searched.": "Non calcolata.",
  "Seen by one search only.": "Vista da un solo calcolo.",
  "Black's chances: {chances} in 100.": "Probabilità del Nero: {chances} su 100.",
  "Black's chances: {chances} in 100, score {score}.": "Probabilità del Nero: {chances} su 100, punteggio {score}.",
  "Black's chances: {chances} in 100, White wins.": "Probabilità del Nero: {chances} su 100, vince il Bianco.",
  "Black's chances: {chances} in 100, Black wins.": "Probabilità del Nero: {chances} su 100, vince il Nero.",
  "Expected result of Black": "Risultato atteso del Nero",
  "seen by one search only": "vista da un solo calcolo",
  "{move}, {mark}: {what}": "{move}, {mark}: {what}",
  "{move}: {what}": "{move}: {what}",

  // viewer/move-sheet.js
  Comment: "Commento",
  "Comment before the move": "Commento prima della mossa",
  "Before the first move": "Prima della prima mossa",
  Marks: "Segni",
  "Before the move": "Prima della mossa",
  Promoted: "Promossa",
  "Now the main line": "Ora è la linea principale",
  "Deleted; Undo brings it back": "Cancellata; Annulla la riporta",
  Promote: "Promuovi",
  "This variation one place up": "Questa variante un posto più in su",
  "Make it the game": "Rendila la partita",
  Clear: "Svuota",
  "No mark and no comment": "Nessun segno e nessun commento",
  "Delete from here": "Cancella da qui",
  Done: "Fatto",
  "That is not possible: an illegal variation would become the game":
    "Non è possibile: una variante irregolare diventerebbe la partita",

  // viewer/move-words.js
  "good move": "mossa buona",
  "excellent move": "mossa ottima",
  "interesting move": "mossa interessante",
  "{seconds} s": "{seconds} s",
  "{time} left": "restano {time}",
  "White {time} left": "al Bianco restano {time}",
  "Black {time} left": "al Nero restano {time}",
  "took {time}": "in {time}",
  "score {score}": "punteggio {score}",

  // viewer/moves.js
  Moves: "Mosse",
  "position set up": "posizione impostata",
  "… more": "… altro",
  "not a legal move here": "qui non è una mossa regolare",
  "No moves yet.": "Ancora nessuna mossa.",

  // viewer/retold.js
  "Inaccuracy: Black expects {points}, with {better} {best}.":
    "Imprecisione: il Nero si aspetta {points}, con {better} {best}.",
  "Inaccuracy: White expects {points}, with {better} {best}.":
    "Imprecisione: il Bianco si aspetta {points}, con {better} {best}.",
  "Mistake: Black expects {points}, with {better} {best}.": "Errore: il Nero si aspetta {points}, con {better} {best}.",
  "Mistake: White expects {points}, with {better} {best}.":
    "Errore: il Bianco si aspetta {points}, con {better} {best}.",
  "Blunder: Black expects {points}, with {better} {best}.":
    "Errore grave: il Nero si aspetta {points}, con {better} {best}.",
  "Blunder: White expects {points}, with {better} {best}.":
    "Errore grave: il Bianco si aspetta {points}, con {better} {best}.",
  "The only move: any other and Black expects {others}, not {points}.":
    "Mossa unica: con ogni altra il Nero si aspetta {others}, non {points}.",
  "The only move: any other and White expects {others}, not {points}.":
    "Mossa unica: con ogni altra il Bianco si aspetta {others}, non {points}.",
  "A trap: {percent}% of people play this.": "Una trappola: la gioca il {percent}% delle persone.",
  "An oversight: fewer than 1% of people play this.": "Una svista: la gioca meno dell'1% delle persone.",
  "An oversight: {percent}% of people play this.": "Una svista: la gioca il {percent}% delle persone.",
  "A trap avoided: {percent}% of people play {move}.": "Trappola evitata: il {percent}% delle persone gioca {move}.",
  "Drawn by repetition if claimed: the position is on the board for the {time} time.":
    "Patta per ripetizione a richiesta: la posizione è sulla damiera per la {time} volta.",
  "Drawn for lack of progress if claimed: {count} plies without a capture or a man's move.":
    "Patta per mancanza di progressi a richiesta: {count} semimosse senza una presa né una mossa di pedina.",
  "Black can now draw by repetition.": "Il Nero può ora pattare per ripetizione.",
  "White can now draw by repetition.": "Il Bianco può ora pattare per ripetizione.",
  "Black can now draw for lack of progress.": "Il Nero può ora pattare per mancanza di progressi.",
  "White can now draw for lack of progress.": "Il Bianco può ora pattare per mancanza di progressi.",
  "The position is on the board for the {time} time.": "La posizione è sulla damiera per la {time} volta.",
  second: "seconda",
  third: "terza",
  fourth: "quarta",
  fifth: "quinta",
  "{number}th": "{number}ª",
  "Known: {before} before, now {now}.": "Certo: prima {before}, ora {now}.",
  "Known: {now}.": "Certo: {now}.",
  "a draw": "patta",
  "Black wins": "vince il Nero",
  "White wins": "vince il Bianco",
  "Black wins in 1 ply": "il Nero vince in 1 semimossa",
  "White wins in 1 ply": "il Bianco vince in 1 semimossa",
  "Black wins in {count} plies": "il Nero vince in {count} semimosse",
  "White wins in {count} plies": "il Bianco vince in {count} semimosse",
  "Black: {figures}.": "Nero: {figures}.",
  "White: {figures}.": "Bianco: {figures}.",
  "no move judged": "nessuna mossa giudicata",
  "accuracy {number}": "precisione {number}",
  "{best} of 1 judged move best": "migliori {best} su 1 mossa giudicata",
  "{best} of {count} judged moves best": "migliori {best} su {count} mosse giudicate",
  "{percent}% without a mark": "{percent}% senza segno",
  "loss {number}": "perdita {number}",
  "no inaccuracies": "nessuna imprecisione",
  "1 inaccuracy": "1 imprecisione",
  "{count} inaccuracies": "{count} imprecisioni",
  "no mistakes": "nessun errore",
  "1 mistake": "1 errore",
  "{count} mistakes": "{count} errori",
  "no blunders": "nessun errore grave",
  "1 blunder": "1 errore grave",
  "{count} blunders": "{count} errori gravi",
  "1 trap avoided": "1 trappola evitata",
  "{count} traps avoided": "{count} trappole evitate",
  "1 trap": "1 trappola",
  "{count} traps": "{count} trappole",
  "1 oversight": "1 svista",
  "{count} oversights": "{count} sviste",
  "The first ply is not judged.": "La prima semimossa non è giudicata.",
  "The first {count} plies are not judged.": "Le prime {count} semimosse non sono giudicate.",
  "Black has no move: White wins": "Il Nero non ha mosse: vince il Bianco",
  "White has no move: Black wins": "Il Bianco non ha mosse: vince il Nero",
  "Black has no piece left: White wins": "Il Nero non ha più pezzi: vince il Bianco",
  "White has no piece left: Black wins": "Il Bianco non ha più pezzi: vince il Nero",
  "Black wins: {reason}": "vince il Nero: {reason}",
  "White wins: {reason}": "vince il Bianco: {reason}",
  "drawn: {reason}": "patta: {reason}",
  "the win is plain: {lead} pieces ahead": "la vittoria è evidente: {lead} pezzi in più",
  "the win is plain": "la vittoria è evidente",
  "the solution is complete": "la soluzione è completa",
  "the draw is held": "la patta è tenuta",
  "the draw is safe": "la patta è sicura",
  "this step is done": "questo passo è fatto",
  human: "umano",
  "kr level {number}": "kr livello {number}",
  "book, {number}, 1 game or more": "libro, {number}, almeno 1 partita",
  "book, {number}, {count} games or more": "libro, {number}, almeno {count} partite",
  "book, {number}": "libro, {number}",
  "no pieces left": "nessun pezzo",
  "no legal move": "nessuna mossa",
  repetition: "ripetizione",
  "no progress": "senza progressi",
  "the game is over: the static score means nothing here":
    "la partita è finita: qui il punteggio statico non significa nulla",
  "a capture is pending, which a search plays out first: the static score says little here":
    "c'è una presa in sospeso, che un calcolo giocherebbe prima: qui il punteggio statico dice poco",
  "the evaluation {name} has no tables to share out; numbers show the loss without each piece; {more}":
    "la valutazione {name} non ha tabelle da ripartire; i numeri mostrano la perdita senza ogni pezzo; {more}",
  "the evaluation {name} has no tables to share out; numbers show the loss without each piece":
    "la valutazione {name} non ha tabelle da ripartire; i numeri mostrano la perdita senza ogni pezzo",
  "{games} games that the tables were fitted to ({positions} quiet positions)":
    "{games} partite su cui le tabelle sono state adattate ({positions} posizioni tranquille)",
  "{games} games of self-play by these tables ({positions} quiet positions)":
    "{games} partite di queste tabelle contro se stesse ({positions} posizioni tranquille)",
  "{games} games of self-play ({positions} quiet positions)":
    "{games} partite di kr contro se stesso ({positions} posizioni tranquille)",

  // viewer/stage.js
  Black: "Nero",
  White: "Bianco",
  "captured {men}": "presi: {men}",
  "nothing captured": "nessun pezzo preso",
  "Evaluation: not analysed": "Valutazione: non analizzata",
  "Evaluation: Black wins {win}, draw {draw}, White wins {loss} in a hundred":
    "Valutazione: su cento partite il Nero ne vince {win}, ne patta {draw}, il Bianco ne vince {loss}",
  "Black's clock": "Orologio del Nero",
  "White's clock": "Orologio del Bianco",
  Steps: "Passi",
  Back: "Indietro",
  Forward: "Avanti",
  End: "Fine",
  "piece|pieces": "pezzo|pezzi",

  // viewer/texts.js
  "Level {level}": "Livello {level}",

  // viewer/viewer.js
  Accuracy: "Precisione",
  green: "verde",
  wood: "legno",
  "high contrast": "alto contrasto",
  Pieces: "Pezzi",
  flat: "piatti",
  carved: "intagliati",
  Squares: "Caselle",
  numbers: "numeri",
  letters: "lettere",
  neither: "niente",
  "Mark before": "Segno precedente",
  "Next mark": "Segno successivo",
  "Turn the board": "Gira la damiera",
  Review: "Revisione",
  Game: "Partita",
  Panels: "Pannelli",
  "The game could be claimed drawn here: {rule}.": "Qui si poteva chiedere la patta: {rule}.",

  // web/dialog.js
  Close: "Chiudi",

  // web/filters.js
  "{filter}: {value}": "{filter}: {value}",
  "Filters that are on": "Filtri attivi",
  "Take off the filter {filter}": "Togli il filtro {filter}",
  "All off": "Togli tutti",

  // web/install.js
  "The server is gone; start kr web again": "Il server non c'è più: riavvia kr web",
  "kr web has been started again: open the address that it printed in this browser":
    "kr web è stato riavviato: apri in questo browser l'indirizzo che ha stampato",

  // web/keys.js
  "a move back, forward": "una mossa indietro, avanti",
  "to the start, to the end": "all'inizio, alla fine",
  "turn the board": "gira la damiera",
  "to the variation above, below": "alla variante sopra, sotto",
  "to the next mark, the one before": "al segno successivo, precedente",
  "in Repertoire: mark the last move as yours, train": "in Repertorio: segna l'ultima mossa come tua, allenati",
  Space: "Spazio",
  "begin or stop the analysis": "avvia o ferma l'analisi",
  undo: "annulla",
  redo: "ripristina",
  "open the game or the position that was copied": "apre la partita o la posizione copiata",
  "to the next unsolved puzzle": "al prossimo problema da risolvere",
  "a hint, then the move": "un suggerimento, poi la mossa",
  "the solution": "la soluzione",
  "start the puzzle again": "ricomincia il problema",
  "the best move": "la mossa migliore",
  "take the last move back": "ritira l'ultima mossa",
  "a new ending": "un nuovo finale",
  "the same ending again": "di nuovo lo stesso finale",
  "to the board": "alla damiera",
  "to another square": "a un'altra casella",
  Enter: "Invio",
  "take up a piece, put it down": "solleva un pezzo, posalo",
  "put it back": "rimettilo a posto",
  "begin an arrow, end it": "comincia una freccia, finiscila",
  "draw a circle, or take it away": "disegna un cerchio, o toglilo",
  Keys: "Tasti",
  "On a square of the board": "Su una casella della damiera",
  "? shows this list. Drag with the right button to draw an arrow, click with it to draw a circle.":
    "? mostra questo elenco. Trascina con il tasto destro per disegnare una freccia, clicca per disegnare un cerchio.",

  // web/preferences.js
  Colours: "Colori",
  "as the device": "come il dispositivo",
  light: "chiari",
  dark: "scuri",
  "Size of the board": "Grandezza della damiera",
  large: "grande",
  medium: "media",
  small: "piccola",
  Sounds: "Suoni",
  on: "sì",
  off: "no",
  Language: "Lingua",
  "as the browser": "come il browser",
  Settings: "Impostazioni",

  // web/send.js
  "The browser could not paint the picture": "Il browser non è riuscito a disegnare l'immagine",
  "The browser does not let this page copy": "Il browser non permette a questa pagina di copiare",
  "Picture copied": "Immagine copiata",
  "No move follows this position": "Nessuna mossa segue questa posizione",
  "The game has no moves yet": "La partita non ha ancora mosse",
  "A GIF shows at most {most} moves; this line has {count}":
    "Una GIF mostra al massimo {most} mosse; questa linea ne ha {count}",
  "Send as page": "Invia come pagina",
  "One file with the whole review, which opens on any phone or computer":
    "Un solo file con tutta la revisione, che si apre su ogni telefono o computer",
  "Save picture": "Salva immagine",
  "The position as PNG": "La posizione come PNG",
  "Save GIF of the game": "Salva GIF della partita",
  "All moves of this line as an animated picture": "Tutte le mosse di questa linea come immagine animata",
  "Save GIF from here": "Salva GIF da qui",
  "The moves that follow this position as an animated picture":
    "Le mosse che seguono questa posizione come immagine animata",
  "Save PDN": "Salva PDN",
  "The game for other programs": "La partita per altri programmi",
  "Save SVG": "Salva SVG",
  "The position as a drawing of any size": "La posizione come disegno di qualsiasi grandezza",
  "Copy picture": "Copia immagine",
  "Copy PDN": "Copia PDN",
  "The game as text": "La partita come testo",
  "PDN copied": "PDN copiato",
  "Copy FEN": "Copia FEN",
  "The position as text": "La posizione come testo",
  "FEN copied": "FEN copiata",
  "Copy SVG": "Copia SVG",
  "The position as text of a drawing": "La posizione come testo di un disegno",
  "SVG copied": "SVG copiato",

  // web/server.js
  "The server does not answer. Is kr web still running?": "Il server non risponde. kr web è ancora in funzione?",
  "the server answered {status}": "il server ha risposto {status}",

  // web/shell.js
  Analyse: "Analisi",
  Play: "Gioca",
  Learn: "Impara",
  Endings: "Finali",
  Runs: "Lavori",
  Pages: "Pagine",
  "The page did not load. Is kr web still running?": "La pagina non si è caricata. kr web è ancora in funzione?",
  "To the board": "Alla damiera",
  "The server answers again": "Il server risponde di nuovo",
  "kr web has been started again: open the address that it printed in this browser, and this page goes on":
    "kr web è stato riavviato: apri in questo browser l'indirizzo che ha stampato, e questa pagina continua",

  // web/analyse/opening.js
  "ballot {number}": "apertura n. {number}",

  // web/book.js
  "The book ends after {move}": "Il libro finisce dopo {move}",
  "{move} is {loss} better": "{move} è migliore di {loss}",
  "it plays {move} ({score})": "il libro gioca {move} ({score})",
  "Black left the book with {move}: {better}": "Il Nero è uscito dal libro con {move}: {better}",
  "White left the book with {move}: {better}": "Il Bianco è uscito dal libro con {move}: {better}",

  // web/analyse/page.js
  Explorer: "Esplora",
  People: "Umani",
  Regions: "Zone",
  Repertoire: "Repertorio",
  Games: "Partite",
  More: "Altro",
  Send: "Invia",
  "Set up": "Imposta posizione",
  "Play from here": "Gioca da qui",
  "New game": "Nuova partita",
  Undo: "Annulla",
  Redo: "Ripristina",
  "Mark or comment…": "Segno o commento…",
  "Prove…": "Dimostra…",

  // web/analyse/welcome.js
  Begin: "Inizio della partita",
  "Black to move: drag a man, or click it and then its square.":
    "Tocca al Nero: trascina una pedina, oppure clicca prima lei e poi la casella.",
  "Or begin with:": "Oppure comincia da:",
  "a file of games": "un file di partite",
  "PDN; or drop one on the page": "PDN; o trascinalo sulla pagina",
  "a game as text": "una partita come testo",
  "moves, a FEN or a link; Ctrl+V works anywhere": "mosse, una FEN o un link; Ctrl+V funziona ovunque",
  "an opening": "un'apertura",
  "by its name or its moves": "per nome o per mosse",
  "set up on the board": "impostata sulla damiera",
  "a game against kr": "una partita contro kr",
  "from beginner to champion": "da principiante a campione",

  // web/analysis/controls.js
  "no limit": "senza limite",
  "all near the best": "tutte quelle vicine alla migliore",
  "2 seconds": "2 secondi",
  "10 seconds": "10 secondi",
  "1 minute": "1 minuto",
  "depth {depth}": "profondità {depth}",
  Threat: "Minaccia",
  "What if the other side moved?": "E se muovesse l'altra parte?",
  Lines: "Linee",
  Until: "Fino a",
  "Score for": "Punteggio per",
  "the side to move": "chi muove",
  Arrows: "Frecce",
  "Options of the analysis": "Opzioni dell'analisi",
  Engine: "Motore",
  "Beside it": "Accanto",
  none: "nessuno",

  // web/analysis/lines.js
  "beginning…": "comincia…",
  WDL: "VPS",
  "win {win}, draw {draw}, loss {loss} in a hundred": "su cento: vittoria {win}, patta {draw}, sconfitta {loss}",

  // web/analysis/panel.js
  Stop: "Ferma",
  "Go on": "Continua",
  "Threat: {best}": "Minaccia: {best}",
  "Best: {best}": "Migliore: {best}",

  // web/analysis/words.js
  win: "vittoria",
  draw: "patta",
  loss: "sconfitta",
  "{value} in {plies}": "{value} in {plies}",
  "draw by repetition": "patta per ripetizione",
  "draw for lack of progress": "patta per mancanza di progressi",
  "Many are analysing; this begins when one of them ends":
    "Molti stanno analizzando; questa analisi comincia quando una delle altre finisce",
  "now {depth}": "ora {depth}",
  "{nodes} nodes": "{nodes} nodi",
  "{size} MB hash": "{size} MB di hash",
  finished: "finita",
  "The game can be claimed a {draw} here.": "Qui si può chiedere la {draw}.",
  "Exact: {values}": "Esatto: {values}",
  "ply|plies": "semimossa|semimosse",
  "does not lose": "non perde",
  "does not win": "non vince",
  "{value} by certificate {name}": "{value} per il certificato {name}",

  // web/endings/page.js
  "Board of the ending": "Damiera del finale",
  "Take back": "Ritira",
  "Play on": "Continua",
  "Best move": "Mossa migliore",
  "New ending": "Nuovo finale",
  Ending: "Finale",
  Choose: "Scegli",
  "Exact values": "Valori esatti",
  "Your endings": "I tuoi finali",
  "Same again": "Di nuovo lo stesso",
  "No such ending was found: try another difficulty or other pieces.":
    "Nessun finale trovato: prova un'altra difficoltà o altri pezzi.",
  "This position is not in the endgame database.": "Questa posizione non è nel database dei finali.",
  "kr plays {move}. Your move.": "kr gioca {move}. Tocca a te.",
  "Taken back.": "Mossa ritirata.",
  "There is no endgame database here: kr egdb build makes one.":
    "Qui non c'è un database dei finali: lo crea kr egdb build.",

  // web/endings/state.js
  "two kings against one king": "due dame contro una dama",
  "two pieces against one": "due pezzi contro uno",
  "one piece against two": "un pezzo contro due",
  "two pieces against two": "due pezzi contro due",
  "three kings against one king": "tre dame contro una dama",
  "three kings against two kings": "tre dame contro due dame",
  "three pieces against two": "tre pezzi contro due",
  "two pieces against three": "due pezzi contro tre",
  "three pieces against three": "tre pezzi contro tre",
  "four pieces against three": "quattro pezzi contro tre",
  "four pieces against four": "quattro pezzi contro quattro",
  "{done} of {wins} won, {clean} without a slip.": "Vinte: {done} su {wins}, {clean} senza uno sbaglio.",
  "{done} of {draws} held, {clean} without a slip.": "Tenute: {done} su {draws}, {clean} senza uno sbaglio.",
  "None so far.": "Finora nessuno.",
  "Black to play: lost, hold out as long as you can": "Muove il Nero: è perso, resisti il più a lungo possibile",
  "White to play: lost, hold out as long as you can": "Muove il Bianco: è perso, resisti il più a lungo possibile",
  "Black to play and win": "Muove il Nero e vince",
  "White to play and win": "Muove il Bianco e vince",
  "Black to play and hold the draw for {moves}": "Muove il Nero e tiene la patta per {moves}",
  "White to play and hold the draw for {moves}": "Muove il Bianco e tiene la patta per {moves}",
  "You must capture: {move}.": "Devi prendere: {move}.",
  "You must capture: choose between {moves}.": "Devi prendere: scegli tra {moves}.",
  "One move wins at once: find it.": "Una mossa vince subito: trovala.",
  "Bring a man to the far row: a king moves both ways.": "Porta una pedina a dama: la dama muove avanti e indietro.",
  "Stop its men before they become kings: put your kings in their way.":
    "Ferma le sue pedine prima che diventino dame: metti le tue dame sulla loro strada.",
  "Its king sits in a double corner: come close with both kings, and drive it out.":
    "La sua dama è nel biscacco: avvicinati con due dame e scacciala.",
  "Keep its king out of the double corners (1 and 5, 28 and 32), and take its squares away from two sides.":
    "Tieni la sua dama fuori dai biscacchi (1 e 5, 28 e 32) e toglile le caselle da due parti.",
  "You have the better of it: look for an exchange, one piece for one.":
    "Stai meglio: cerca un cambio, un pezzo per un pezzo.",
  "Hold out: keep your pieces off the edges, and lose no piece.":
    "Resisti: tieni i pezzi lontani dai bordi e non perderne.",
  "Stay in the double corner: go out and back.": "Resta nel biscacco: esci e rientra.",
  "Make for a double corner: 1 and 5, or 28 and 32.": "Raggiungi un biscacco: 1 e 5, oppure 28 e 32.",
  "Look at each move before you make it: one at least loses.": "Guarda ogni mossa prima di farla: almeno una perde.",
  "Your move.": "Tocca a te.",
  "It had to capture.": "Doveva prendere.",
  "It had no other move.": "Non aveva altra mossa.",
  "It wins fastest: in {plies}.": "Vince nel modo più rapido: in {plies}.",
  "It keeps its win.": "Mantiene la vittoria.",
  "It sets a trap: of your {moves} {right} keep the draw.":
    "Ti tende una trappola: tengono la patta {right} delle tue {moves}.",
  "It keeps the draw.": "Tiene la patta.",
  "It holds out longest: you win in {plies}.": "Resiste il più a lungo possibile: vinci in {plies}.",
  "It holds out longest.": "Resiste il più a lungo possibile.",
  "It sets a trap: of your {moves} {right} keep the win.":
    "Ti tende una trappola: mantengono la vittoria {right} delle tue {moves}.",
  "{move} cost {plies}: {best} was the quickest.": "{move} costa {plies}: la più rapida era {best}.",
  "{move} gives the win away.": "{move} regala la vittoria.",
  "{move} gives the draw away.": "{move} regala la patta.",
  "It is lost now.": "Ora è perso.",
  "It is a draw now.": "Ora è patta.",
  "{count} other moves keep the win.": "Altre {count} mosse mantengono la vittoria.",
  "One other move keeps the win.": "Un'altra mossa mantiene la vittoria.",
  "{count} other moves keep the draw.": "Altre {count} mosse tengono la patta.",
  "One other move keeps the draw.": "Un'altra mossa tiene la patta.",
  "Take it back, or play on.": "Ritirala, o continua.",
  "{move} is best.": "{move} è la migliore.",
  "It wins in {plies}.": "Vince in {plies}.",
  "No other move wins.": "Nessun'altra mossa vince.",
  "{move} takes {plies}.": "Con {move} ci vogliono {plies}.",
  "It is the only move.": "È l'unica mossa.",
  "No other move keeps the draw.": "Nessun'altra mossa tiene la patta.",
  "{moves} win here.": "Qui vincono {moves}.",
  "{moves} keep the draw here.": "Qui tengono la patta {moves}.",
  "no piece is left": "non resta alcun pezzo",
  "no move is left": "non resta alcuna mossa",
  "the same position for the third time": "la stessa posizione per la terza volta",
  "40 moves each without a capture or a man's move": "40 mosse per parte senza una presa né una mossa di pedina",
  "You have won in {plies}: {why}.": "Hai vinto in {plies}: {why}.",
  "You have lost: {why}.": "Hai perso: {why}.",
  "You have a draw: {why}.": "Hai pattato: {why}.",
  "You have held: {why}.": "Hai tenuto la patta: {why}.",
  "kr plays {move}.": "kr gioca {move}.",
  "The best play takes {plies}.": "Il gioco migliore richiede {plies}.",
  "{slips} on the way.": "{slips} lungo la strada.",
  "Press New ending for another.": "Premi Nuovo finale per un altro.",
  Played: "Giocate",
  "Win in": "Vinci in",
  "Best play": "Gioco migliore",
  "Given away": "Regalate",
  "not in the database": "non nel database",
  "Without progress": "Senza progressi",
  "{count} of {plies}": "{count} di {plies}",
  "This position": "Questa posizione",
  "second time": "seconda volta",
  "third time": "terza volta",
  "win in {plies}": "vittoria in {plies}",
  "loss in {plies}": "sconfitta in {plies}",
  "win|wins": "vittoria|vittorie",
  "draw|draws": "patta|patte",
  "move|moves": "mossa|mosse",
  "slip|slips": "sbaglio|sbagli",

  // web/endings/view.js
  Task: "Compito",
  "Win it": "Vinci",
  "Hold the draw": "Tieni la patta",
  Difficulty: "Difficoltà",
  easy: "facile",
  hard: "difficile",
  any: "qualsiasi",
  "You play": "Giochi con",
  "by chance": "a caso",
  "Long wins are hard, and draws with a single right move.":
    "Le vittorie lunghe sono difficili, e così le patte con una sola mossa giusta.",
  "Tell how long the win takes": "Mostra quanto dura la vittoria",
  "of your choice": "a tua scelta",
  "Your pieces": "I tuoi pezzi",
  "Your kings": "Le tue dame",
  "kr's pieces": "I pezzi di kr",
  "kr's kings": "Le dame di kr",
  "Show the exact values": "Mostra i valori esatti",

  // web/explorer/archives.js
  "File of an archive": "File di un archivio",
  Archives: "Archivi",
  "See what was played here in thousands of games, and open them beside yours.":
    "Guarda che cosa si è giocato qui in migliaia di partite, e aprile accanto alla tua.",
  "A file of games in PDN, also packed (.gz, .xz, .bz2). Choose it, or drop it here.":
    "Un file di partite in PDN, anche compresso (.gz, .xz, .bz2). Sceglilo, o trascinalo qui.",
  "Add an archive…": "Aggiungi un archivio…",
  "Sending {name}": "Invio di {name}",
  Cancel: "Annulla",
  "Reading {name}": "Lettura di {name}",
  "{name} is kept for the next time": "{name} resta per la prossima volta",
  "{name} is removed": "{name} è stato tolto",
  "Making the index of {name}, once: {share} %": "Creo l'indice di {name}, una volta sola: {share} %",
  "Try again": "Riprova",
  Remove: "Togli",
  "Choose what to explore under Archives. The games of a file are indexed once.":
    "Scegli tra gli Archivi che cosa esplorare. L'indice delle partite di un file si crea una volta sola.",

  // web/explorer/panel.js
  Order: "Ordine",
  "as in the archive": "come nell'archivio",
  "newest first": "prima le più recenti",
  "oldest first": "prima le più vecchie",
  "‹ Back": "‹ Indietro",
  "More ›": "Altre ›",
  Search: "Cerca",
  "at this position only": "solo in questa posizione",
  "kr's scores": "Punteggi di kr",
  "No game came to this position with:": "Nessuna partita è arrivata a questa posizione con:",
  "{game}: this position with colours reversed": "{game}: questa posizione a colori invertiti",

  // web/explorer/search.js
  "Openings to put on the board": "Aperture da mettere sulla damiera",
  "Side of the player": "Colore del giocatore",
  "either side": "qualsiasi colore",
  "as Black": "con il Nero",
  "as White": "con il Bianco",
  Result: "Risultato",
  "any result": "ogni risultato",
  "Black won": "vince il Nero",
  "White won": "vince il Bianco",
  drawn: "patta",
  unfinished: "non finita",
  Player: "Giocatore",
  against: "contro",
  Against: "Contro",
  Opening: "Apertura",
  Event: "Torneo",
  Years: "Anni",
  "Years, 1900-1950": "Anni, 1900-1950",
  "Opening: name, number or moves": "Apertura: nome, numero o mosse",
  "also with colours reversed": "anche a colori invertiti",
  "To the board:": "Sulla damiera:",
  "game|games": "partita|partite",

  // web/explorer/state.js
  "making its index: {share} %": "creo l'indice: {share} %",
  "not open": "non aperto",
  "{games}, until kr web ends": "{games}, finché kr web è aperto",
  worse: "peggiore",
  "the book has it as worse than its other moves": "per il libro è peggiore delle altre mosse",
  "book {score}": "libro {score}",
  "{value}, played in {games} or more": "{value}, giocata in {games} o più",
  "a cook: {loss} better than {move}, which people play most":
    "una novità: migliore di {loss} rispetto a {move}, la più giocata",
  "a cook: better than {move}, which people play most": "una novità: migliore di {move}, la più giocata",
  "cooked: people play it most, and {move} is {loss} better":
    "confutata: è la più giocata, ma {move} è migliore di {loss}",
  "cooked: people play it most, and {move} is better": "confutata: è la più giocata, ma {move} è migliore",
  "The book does not have this position.": "Il libro non ha questa posizione.",
  "no results": "nessun risultato",
  "Black won {black} %, drawn {draws} %, White won {white} %":
    "vittorie del Nero {black} %, patte {draws} %, vittorie del Bianco {white} %",
  "{name} (ballot {number})": "{name} (apertura n. {number})",
  "Ballot {number}": "Apertura n. {number}",
  "No game came to this position.": "Nessuna partita è arrivata a questa posizione.",
  "both lost": "persa per entrambi",
  "{players}, {year}": "{players}, {year}",
  "colours reversed": "colori invertiti",
  "No games": "Nessuna partita",
  "{first} to {last} of {games}": "da {first} a {last} di {games}",
  "{score} (depth {depth})": "{score} (profondità {depth})",

  // web/explorer/upload.js
  "{name} can't be read": "{name} non si può leggere",

  // web/explorer/view.js
  cook: "novità",
  cooked: "confutata",
  "Not played:": "Non giocate:",
  "Not in the book:": "Non nel libro:",
  "kr {score}": "kr {score}",
  "Play {move}": "Gioca {move}",
  Move: "Mossa",
  Results: "Risultati",
  Book: "Libro",
  "Moves played here": "Mosse giocate qui",
  "Open {game}, {result}, {facts}": "Apri {game}, {result}, {facts}",
  Keep: "Conserva",
  "It stays in kr's data folder and is here when kr web is started again":
    "Resta nella cartella dei dati di kr e ci sarà al prossimo avvio di kr web",
  "Keep {name} for the next time": "Conserva {name} per la prossima volta",
  "Remove {name}": "Togli {name}",
  "{games} could not be read": "Illeggibili: {games}",
  "Index of {name}": "Indice di {name}",

  // web/files/about.js
  Place: "Luogo",
  Date: "Data",
  Round: "Turno",
  "not finished": "non finita",
  "1-0, Black won": "1-0, vince il Nero",
  "0-1, White won": "0-1, vince il Bianco",
  "½-½, drawn": "½-½, patta",
  "0-0, both lost": "0-0, persa per entrambi",
  "Players and result": "Giocatori e risultato",

  // web/files/link.js
  "The link holds too long a text": "Il collegamento contiene un testo troppo lungo",
  "The link is too long": "Il collegamento è troppo lungo",
  "The link is damaged: it holds no game": "Il collegamento è danneggiato: non contiene partite",

  // web/files/opened.js
  "Open games": "Partite aperte",
  "Back to {game}": "Torna a {game}",
  "Close {game}": "Chiudi {game}",

  // web/files/panel.js
  "Or drop a file anywhere on the page, or paste a game with Ctrl+V.":
    "Oppure trascina un file sulla pagina, o incolla una partita con Ctrl+V.",
  "Games from before": "Partite di prima",
  "Results in files": "Risultati nei file",
  "1-0 in files: Black won": "1-0 nei file: vince il Nero",
  "1-0 in files: White won": "1-0 nei file: vince il Bianco",
  "PDN, moves, a FEN or a link": "PDN, mosse, una FEN o un collegamento",
  "Open this": "Apri questo",
  "Paste…": "Incolla…",
  "PDN, moves, a FEN or a link; Ctrl+V works anywhere":
    "PDN, mosse, una FEN o un collegamento; Ctrl+V funziona ovunque",
  "Open…": "Apri…",
  "A PDN file; or drop one on the page": "Un file PDN; o trascinane uno sulla pagina",
  "A game": "Una partita",
  "A remark on the text": "Un'osservazione sul testo",
  "{remarks} on the text": "{remarks} sul testo",
  "{name} is open on the page Analyse": "{name} è aperto nella pagina Analisi",
  "Game {number}": "Partita {number}",
  "remark|remarks": "osservazione|osservazioni",

  // web/files/reading.js
  "Pasted text": "Testo incollato",
  "{name} is larger than {size} MB: add it to the explorer, or start kr web {name}":
    "{name} supera {size} MB: aggiungilo agli archivi, o avvia kr web {name}",
  "The link holds more than one game": "Il collegamento contiene più di una partita",
  "The game of the link was not opened: you went on with another":
    "La partita del collegamento non è stata aperta: ne hai continuata un'altra",
  "Opened; Undo brings the former game back": "Aperta; Annulla riporta la partita di prima",
  "{name}: no game found": "{name}: nessuna partita trovata",
  "{name} is read; its games are listed, and the game on the board stays":
    "{name} è letto; le sue partite sono in elenco, e sulla damiera resta quella di prima",
  "{games}, {left} could not be read": "{games}, illeggibili {left}",
  "{name} is a certificate: kr web opens it": "{name} è un certificato: lo apre kr web",

  // web/files/shelf.js
  "player, event, year": "giocatore, torneo, anno",
  "Find games": "Cerca partite",
  "Games read": "Partite lette",
  Files: "File",
  "Game before": "Partita precedente",
  "Next game": "Partita successiva",
  "not all games are listed": "non tutte le partite sono in elenco",
  "and {others}": "e {others}",
  Why: "Perché",
  "{name}: {found} of {games}": "{name}: {found} di {games}",
  "{name}: reading …": "{name}: lettura …",
  "There is no other game": "Non c'è un'altra partita",
  "other|others": "altra|altre",
  "No game with:": "Nessuna partita con:",

  // web/files/state.js
  "{games} so far": "{games} finora",
  "{name}: {found} of {games}, {left} can't be read": "{name}: {found} di {games}, illeggibili {left}",
  "{name}: {games}, {left} can't be read": "{name}: {games}, illeggibili {left}",
  "{name}: {games}": "{name}: {games}",
  "My game": "La mia partita",

  // web/learn/courses.js
  "{done} of {all} steps": "{done} passi su {all}",
  "Step {number}, done": "Passo {number}, fatto",
  "Step {number}": "Passo {number}",

  // web/learn/list.js
  Theme: "Tema",
  "All themes": "Tutti i temi",
  "Any difficulty": "Ogni difficoltà",
  "Easy (up to 1199)": "Facili (fino a 1199)",
  "Medium (1200 to 1599)": "Medi (da 1200 a 1599)",
  "Hard (1600 to 1999)": "Difficili (da 1600 a 1999)",
  "Very hard (from 2000)": "Molto difficili (da 2000)",
  Progress: "Progressi",
  "Solved or not": "Risolti o no",
  "Not solved": "Non risolti",
  Solved: "Risolti",
  Missed: "Sbagliati",
  "Due today": "Da rifare oggi",
  Goal: "Obiettivo",
  "Wins and draws": "Vittorie e patte",
  Wins: "Vittorie",
  Draws: "Patte",
  "Any piece count": "Pezzi: tutti",
  "Up to 5 pieces": "Fino a 5 pezzi",
  "6 to 8 pieces": "Da 6 a 8 pezzi",
  "9 pieces or more": "9 pezzi o più",
  Origin: "Origine",
  "All puzzles": "Tutti i problemi",
  "Classic positions": "Posizioni classiche",
  Collection: "Raccolta",
  "Problem files": "File di problemi",
  "{count} of {all}": "{count} di {all}",
  "Due today: {puzzles}": "Da rifare oggi: {puzzles}",
  "puzzle|puzzles": "problema|problemi",
  missed: "sbagliato",

  "No puzzle with:": "Nessun problema con:",

  // web/learn/page.js
  "Next puzzle:": "Prossimo problema:",
  "Nothing unsolved is left with these filters.": "Con questi filtri non resta nulla da risolvere.",
  "Board of the puzzle": "Damiera del problema",
  Hint: "Suggerimento",
  Solution: "Soluzione",
  "Next puzzle": "Prossimo",
  Puzzle: "Problema",
  Courses: "Corsi",
  "Start again": "Ricomincia",
  "Puzzle of the day ✓": "Problema del giorno ✓",
  "Puzzle of the day": "Problema del giorno",
  "Show the move": "Mostra la mossa",
  "{title}, step {number} of {all}": "{title}, passo {number} di {all}",
  "Puzzle of the day: {title}": "Problema del giorno: {title}",
  "Puzzle of the day, {day}": "Problema del giorno, {day}",
  "The course is complete.": "Il corso è completo.",
  "Nothing unsolved is left in the list.": "Nell'elenco non resta nulla da risolvere.",
  "The progress of {name} is loaded": "I progressi di {name} sono caricati",
  "{name} has no progress: choose a file that Save progress or kr learn has made":
    "{name} non contiene progressi: scegli un file fatto da Salva i progressi o da kr learn",

  // web/learn/record.js
  "Save progress": "Salva i progressi",
  "Load progress": "Carica i progressi",
  "{count} in a row without a wrong move or a hint.": "{count} di fila senza una mossa sbagliata né un suggerimento.",
  "Solve a puzzle that has a rating, and yours begins here.":
    "Risolvi un problema che ha un punteggio, e qui comincia il tuo.",
  "Your rating": "Il tuo punteggio",
  "Your rating, from {first} to {last}": "Il tuo punteggio, da {first} a {last}",
  "{solved} of {all}": "{solved} di {all}",

  // web/learn/state.js
  "None of {puzzles} solved so far.": "Nessuno risolto finora, su {puzzles}.",
  "{solved} of {puzzles} solved, {clean} of them without a wrong move or a hint.":
    "Risolti {solved} su {puzzles}, {clean} senza una mossa sbagliata né un suggerimento.",
  "{proved} by moves that are proved or published, {likely} likely, by kr's search.":
    "{proved} con mosse dimostrate o pubblicate, {likely} con mosse probabili, per il calcolo di kr.",
  Shot: "Tiro",
  "Two for one": "Due per uno",
  "First Position": "Prima posizione",
  Bridge: "Ponte",
  Breeches: "Forchetta",
  "In and out": "Dentro e fuori",
  "Only move": "Mossa unica",
  "no. {id}": "n. {id}",
  "Now find your next move.": "Ora trova la prossima mossa.",
  "win or draw?": "vittoria o patta?",
  solved: "risolto",
  tried: "tentato",
  "{rating} ± {error}": "{rating} ± {error}",
  proved: "dimostrato",
  "checked by kr's search": "controllato dal calcolo di kr",
  "Your rating: {change}": "Il tuo punteggio: {change}",
  "rated {rating}": "punteggio {rating}",
  "{days} in a row": "{days} di fila",
  "day|days": "giorno|giorni",
  "Black to play and draw": "Muove il Nero e patta",
  "White to play and draw": "Muove il Bianco e patta",
  "{task} (likely: {chance}%)": "{task} (probabile: {chance}%)",
  "Any move that wins is right.": "Ogni mossa che vince è giusta.",
  "Any move that keeps the draw is right.": "Ogni mossa che tiene la patta è giusta.",
  "White has played {move}.": "Il Bianco ha giocato {move}.",
  "Black has played {move}.": "Il Nero ha giocato {move}.",
  "By the endgame database.": "Secondo il database dei finali.",
  "By the published solution.": "Secondo la soluzione pubblicata.",
  "By kr's search.": "Secondo il calcolo di kr.",
  "Reply: {move}.": "Risposta: {move}.",
  "{move} is right.": "{move} è giusta.",
  "{move} does not win.": "{move} non vince.",
  "Try another move.": "Prova un'altra mossa.",
  "{move} may keep the win.": "{move} forse mantiene la vittoria.",
  "{move} may keep the draw.": "{move} forse tiene la patta.",
  "It is not the published move.": "Non è la mossa pubblicata.",
  "kr can't tell. Try another move; this one does not count.":
    "kr non sa dirlo. Prova un'altra mossa; questa non conta.",
  "Solved!": "Risolto!",
  "{move}: {reason}.": "{move}: {reason}.",
  "Not solved.": "Non risolto.",
  "{reason}. Start again.": "{reason}. Ricomincia.",
  "The piece on {square} can make a right move.": "Il pezzo in {square} può fare una mossa giusta.",
  "Step through it below.": "Scorrila qui sotto.",
  "The solution has {moves}.": "La soluzione ha {moves}.",

  // problems/classics.jsonl; known by their English names: Phantom Fox Den, London Bridge and the like
  "100 Years Problem": "Il problema dei 100 anni",
  "Phantom Fox Den": "Phantom Fox Den",
  "Pask Position": "Posizione di Pask",
  "First Position without the Move": "Prima posizione senza la mossa",
  "First Position, Gould's Setting": "Prima posizione, versione di Gould",
  "Second Position, Gould's Setting": "Seconda posizione, versione di Gould",
  "Negative Second Position": "Seconda posizione negativa",
  "Fourth Position, White to Play": "Quarta posizione, muove il Bianco",
  "Fourth Position with Kings": "Quarta posizione con dame",
  "Fourth Position, Lasker's Setting": "Quarta posizione, versione di Lasker",
  "Fifth Position": "Quinta posizione",
  "Payne's Single Corner Win": "Vittoria di Payne nell'angolo semplice",
  "Payne's Single Corner Win, Black to Play": "Vittoria di Payne nell'angolo semplice, muove il Nero",
  "Bridge Position": "Posizione del ponte",
  "McGill's Bridge": "Ponte di McGill",
  "Petterson's Drawbridge": "Ponte levatoio di Petterson",
  "Bradley's Drawbridge": "Ponte levatoio di Bradley",
  "London Bridge": "London Bridge",
  "Sturges' Position": "Posizione di Sturges",
  "Sturges' Ending of 1800": "Finale di Sturges del 1800",
  "Bowen's Twins, Black to Play": "Gemelle di Bowen, muove il Nero",
  "Bowen's Twins, White to Play": "Gemelle di Bowen, muove il Bianco",
  "Bowen's Twins, Clark's Setting": "Gemelle di Bowen, versione di Clark",
  "Deans' Position": "Posizione di Deans",
  "Barker's Triangle": "Triangolo di Barker",
  "Strickland's Draw": "Patta di Strickland",
  "Wyllie's Draw": "Patta di Wyllie",
  "The Herd Laddie's Pitch": "The Herd Laddie's Pitch",
  "Wyllie's Win": "Vittoria di Wyllie",
  "Spayth's Win": "Vittoria di Spayth",
  "Picture Frame": "La cornice",
  "Cornock's Draw": "Patta di Cornock",
  "Jordan's Last Chance": "L'ultima possibilità di Jordan",
  "Lyman's No. 280": "N. 280 di Lyman",
  "Allen's Position": "Posizione di Allen",
  "Allen's Win": "Vittoria di Allen",
  "Bowen's Win": "Vittoria di Bowen",
  "Wardell's Draw": "Patta di Wardell",
  "Grey's Draw": "Patta di Grey",
  "McMillan's Win": "Vittoria di McMillan",
  "Bremmer's Draw": "Patta di Bremmer",
  "Sweeney's Draw": "Patta di Sweeney",
  "Minority Rules": "Minority Rules",
  "Goose Walk": "Goose Walk",
  "Hinkle's Prize Problem": "Problema a premio di Hinkle",

  // problems/courses.json
  "Two kings against one in both double corners": "Due dame contro una nei due biscacchi",
  "A king that goes to and fro in a double corner seems safe. Two kings drive it out of either one, in at most 33 plies.":
    "Una dama che va avanti e indietro nel biscacco sembra al sicuro. Due dame la scacciano da entrambi, in 33 semimosse al massimo.",
  "Your king stands in the corner already, and theirs has one square to go to. Come near from the middle with the other.":
    "Una tua dama è già nell'angolo, e la loro ha una sola casella. Avvicinati dal centro con l'altra.",
  "Come nearer with the far king, but not too near: a king beside theirs may be taken.":
    "Avvicina la dama lontana, ma non troppo: una dama accanto alla loro può essere presa.",
  "Your king beside theirs goes on, round the corner. The other one guards the way to the middle.":
    "La dama accanto alla loro prosegue, intorno all'angolo. L'altra sorveglia la via verso il centro.",
  "The same in the other double corner: the king beside theirs has to go on, the other one stays.":
    "Lo stesso nell'altro biscacco: la dama accanto alla loro deve proseguire, l'altra resta.",
  "Your near king is attacked. Bring it into safety without letting theirs out; the far one comes later.":
    "La tua dama vicina è attaccata. Mettila al sicuro senza far uscire la loro; quella lontana viene dopo.",
  "From far away: lead both kings to the corner side by side, then do it all.":
    "Da lontano: porta le due dame all'angolo fianco a fianco, poi fai tutto il resto.",
  "Two kings against one outside the corners": "Due dame contro una fuori dagli angoli",
  "As long as the lone king is not in a double corner, keep it out of there: then it is lost in few moves, in a single corner or on the edge.":
    "Finché la dama sola non è in un biscacco, tienila fuori: così è persa in poche mosse, nell'altro angolo o sul bordo.",
  "An exchange ends it at once: who takes last has won.": "Un cambio chiude subito: chi prende per ultimo ha vinto.",
  "On the edge it has few squares. Take them away with the right king.":
    "Sul bordo ha poche caselle. Toglile con la dama giusta.",
  "It wants to go to a double corner. Find the square from which your king in the middle cuts off most ways.":
    "Vuole andare in un biscacco. Trova la casella da cui la dama al centro taglia più vie.",
  "Cut off the way to the double corner first. Only then chase it.":
    "Prima taglia la via verso il biscacco. Solo poi inseguila.",
  "It is a step from the double corner. The far king moves, the near one stays on guard.":
    "È a un passo dal biscacco. Muove la dama lontana, la vicina resta di guardia.",
  "The king that is near it may not move. Bring the other one out of its corner.":
    "La dama che le è vicina non può muovere. Porta l'altra fuori dal suo angolo.",
  "Three kings against two": "Tre dame contro due",
  "A piece ahead, you win by exchanging a king: two against one is known to be won. The defender is safest with a king in each double corner.":
    "Con un pezzo in più vinci cambiando una dama: due contro una è vinto. Chi difende è più al sicuro con una dama in ogni biscacco.",
  "Offer a king that must be taken, and take back: two against one are left.":
    "Offri una dama che va presa, e riprendi: restano due contro una.",
  "Again one move offers the exchange. All others let them keep both kings.":
    "Di nuovo una sola mossa offre il cambio. Tutte le altre lasciano loro le due dame.",
  "A quiet move can threaten the exchange too. Look for the square from which you take back.":
    "Anche una mossa tranquilla può minacciare il cambio. Cerca la casella da cui riprendi.",
  "Two of your kings hold theirs in the corner. Do not let them out before the third one has come.":
    "Due tue dame tengono le loro nell'angolo. Non farle uscire prima che arrivi la terza.",
  "A king on your side of the corner cuts theirs off from each other.":
    "Una dama dalla tua parte dell'angolo separa le loro.",
  "A king makes for each double corner. Keep the middle, and exchange against the one that goes too far.":
    "Ogni dama va verso un biscacco. Tieni il centro, e cambia con quella che va troppo lontano.",
  "Two kings against a king and a man that is not yet past them. With the move you win: drive the king out of its double corner, then the man falls. Without the move it is a draw.":
    "Due dame contro una dama e una pedina che non è ancora passata. Con la mossa vinci: scaccia la dama dal biscacco, poi la pedina cade. Senza la mossa è patta.",
  "The man runs for the king row. Get behind it; its king must not come to its help.":
    "La pedina corre a dama. Mettiti dietro di lei; la sua dama non deve venire in aiuto.",
  "One king bars the way out of the corner, the other follows the man. One move only does both.":
    "Una dama sbarra l'uscita dall'angolo, l'altra segue la pedina. Una sola mossa fa entrambe le cose.",
  "Now the man has only just begun to move. Go round it from the side, and keep the corner.":
    "Qui la pedina si è appena mossa. Aggirala di lato, e tieni l'angolo.",
  "Its king has left the corner. Stand so that each way back costs it the man or the king.":
    "La sua dama ha lasciato l'angolo. Mettiti in modo che ogni ritorno le costi la pedina o la dama.",
  "The position itself, and it is long: take the corner when its king steps out, and go on as before.":
    "La posizione vera, ed è lunga: prendi l'angolo quando la dama ne esce, e continua come prima.",
  "The same with the move to the other side: now you defend. Stay in the corner, and go to and fro.":
    "La stessa con la mossa all'altra parte: ora difendi tu. Resta nell'angolo, avanti e indietro.",
  "Second Position": "Seconda posizione",
  "Three against three. Crown your men one by one, drive the king into the double corner, and exchange a king there.":
    "Tre contro tre. Porta a dama le pedine una per una, spingi la dama nel biscacco, e lì cambia una dama.",
  "After the exchange: two kings, and two men that have still to be crowned. Hold the one, and meet the other.":
    "Dopo il cambio: due dame, e due pedine che devono ancora andare a dama. Ferma l'una, e affronta l'altra.",
  "Their king is in the corner. Exchange a king, and nobody is left to help the men.":
    "La loro dama è nell'angolo. Cambia una dama, e nessuno aiuta più le pedine.",
  "Drive the king back into the corner with one king, and be ready with the other.":
    "Ricaccia la dama nell'angolo con una dama, e tieni pronta l'altra.",
  "Your last man still has to be crowned. Take it up the board before their king stops it.":
    "L'ultima pedina deve ancora andare a dama. Portala avanti prima che la loro dama la fermi.",
  "Two men wait at home. Bring the first one to the king row; their king can only follow it.":
    "Due pedine aspettano a casa. Porta la prima a dama; la loro dama può solo seguirla.",
  "The position itself: begin with the man that their king can least reach.":
    "La posizione vera: comincia con la pedina che la loro dama raggiunge meno.",
  "Third Position": "Terza posizione",
  "Three against two, with a man of yours on 21 that the man on 30 holds. The piece ahead counts all the same: force an exchange, and crown your man.":
    "Tre contro due, con una tua pedina in 21 fermata dalla pedina in 30. Il pezzo in più conta lo stesso: forza un cambio, e porta a dama la pedina.",
  "Give a king to be taken: you take back, and the man on 21 is free.":
    "Dai una dama: riprendi, e la pedina in 21 è libera.",
  "Shut their king in the corner, then offer the exchange.": "Chiudi la loro dama nell'angolo, poi offri il cambio.",
  "Their king is out. Do not let it take the middle: go round it.":
    "La loro dama è fuori. Non lasciarle il centro: aggirala.",
  "Keep it away from the double corner, and come nearer with both kings.":
    "Tienila lontana dal biscacco, e avvicinati con le due dame.",
  "It attacks from behind: hold your kings together before you go forward.":
    "Attacca da dietro: tieni unite le dame prima di avanzare.",
  "The position itself. It is won with the move and without it.": "La posizione vera. È vinta con la mossa e senza.",
  "Fourth Position": "Quarta posizione",
  "Four against three, again with a man on 21 held by the man on 30. With the move you win by a sacrifice on the last rows; without it the defender holds the draw.":
    "Quattro contro tre, di nuovo con una pedina in 21 fermata da quella in 30. Con la mossa vinci sacrificando sulle ultime righe; senza, chi difende tiene la patta.",
  "The end first: give one king, and take back with the other.": "Prima la fine: dai una dama, e riprendi con l'altra.",
  "One move attacks, and whatever they do you take.": "Una mossa attacca, e qualunque cosa facciano prendi.",
  "Now give a king to the man on 30: it leaves its post.": "Ora dai una dama alla pedina in 30: lascia il suo posto.",
  "Bring a king round to 28, where it is needed, and keep the others ready.":
    "Porta una dama in 28, dove serve, e tieni pronte le altre.",
  "The position itself: first out of the way of their kings, then round to the other side.":
    "La posizione vera: prima via dalle loro dame, poi dall'altra parte.",
  "With the move to the other side you defend: at almost every move only one is right.":
    "Con la mossa all'altra parte difendi tu: quasi a ogni mossa una sola è giusta.",
  "The same on the other side of the board. Offer kings until theirs have to take.":
    "Lo stesso dall'altra parte della damiera. Offri dame finché le loro devono prendere.",

  // web/line/stage.js
  "This is an earlier position; moves are made at the end of the line (End)":
    "È una posizione di prima; si muove alla fine della linea (Fine)",

  // web/people/panel.js
  "Played by": "Giocano",
  anyone: "tutti",
  "Learned from recorded games: what is usual, not what is good.":
    "Imparato da partite registrate: ciò che è consueto, non ciò che è buono.",
  "Fewer moves": "Meno mosse",
  "{count} more": "altre {count}",

  // web/people/state.js
  all: "tutti",
  "fewer than 1 of 100": "meno di 1 su 100",
  "{count} of 100": "{count} su 100",
  "Play {move}, which all people play": "Gioca {move}, giocata da tutti",
  "Play {move}, which fewer than 1 of 100 people play": "Gioca {move}, giocata da meno di 1 su 100",
  "Play {move}, which {count} of 100 people play": "Gioca {move}, giocata da {count} su 100",
  "The game is over here.": "La partita qui è finita.",
  "All people play {move} here.": "Qui tutti giocano {move}.",
  "{count} of 100 people play {move} here.": "Qui {count} su 100 giocano {move}.",
  "strong players": "giocatori forti",
  "players in the middle": "giocatori medi",
  "weaker players": "giocatori più deboli",
  "the strongest fifth": "il quinto più forte",
  "the weakest fifth": "il quinto più debole",
  "players of strength {number} of {count}": "giocatori di forza {number} su {count}",

  // web/people/view.js
  "How many people play it": "Quanti la giocano",
  "The same as a bar": "Lo stesso come barra",

  // web/play/form.js
  "Minutes + seconds a move": "Minuti + secondi per mossa",
  "Minutes for the game + seconds for each move; also 40/2h:1h or G/45;d5":
    "Minuti per la partita + secondi per ogni mossa; anche 40/2h:1h o G/45;d5",
  Clock: "Orologio",
  other: "altro",
  "Minutes for the game + seconds for each move": "Minuti per la partita + secondi per ogni mossa",
  "Name of Black, who begins": "Nome del Nero, che comincia",
  "Name of White": "Nome del Bianco",
  "Turn the board to whoever is to move": "Gira la damiera verso chi muove",
  Options: "Opzioni",
  "Hints and taking moves back": "Suggerimenti e mosse ritirate",
  "Back to the game": "Torna alla partita",
  "Start the match": "Comincia la sfida",
  "Who plays": "Chi gioca",
  "You and kr": "Tu e kr",
  "Two people": "Due persone",
  Engines: "Motori",
  "Black, who begins": "Nero, che comincia",
  "by lot": "a sorte",
  Rules: "Regole",
  "Choose a ballot in the list first.": "Scegli prima un'apertura nell'elenco.",

  // web/play/game.js
  "The game": "La partita",
  "Offer a draw": "Proponi patta",
  Resign: "Abbandona",
  "Rematch, colours swapped": "Rivincita a colori scambiati",
  "{error} The game goes on when it does.": "{error} La partita continua quando risponde.",
  "One move taken back.": "Una mossa ritirata.",
  "{moves} taken back.": "Ritirate {moves}.",
  "You offer a draw.": "Proponi patta.",
  "kr offers a draw.": "kr propone patta.",
  "Hint: {words}": "Suggerimento: {words}",
  "This is an earlier position: End, or ⇥, leads to the game":
    "È una posizione di prima: Fine, o ⇥, porta alla partita",
  "It is kr's move": "Tocca a kr",
  "Do both of you agree to a draw?": "Siete tutti e due d'accordo per la patta?",
  "Agree to a draw": "Patta d'accordo",
  "{side} resigns?": "{side} abbandona?",
  "Resign this game? kr wins it then.": "Abbandoni la partita? Allora la vince kr.",
  "After {move}, {number} of {moves}.": "Dopo {move}, {number} di {moves}.",
  "The start.": "L'inizio.",
  "Accept the draw": "Accetta la patta",

  // web/play/match.js
  "as fast as they play": "alla velocità dei motori",
  "{seconds} s a move at least": "almeno {seconds} s per mossa",
  Pace: "Ritmo",
  Resume: "Riprendi",
  "Save as PDN": "Salva come PDN",
  "New match": "Nuova sfida",
  "The match": "La sfida",
  "Games of the match": "Partite della sfida",
  Match: "Sfida",
  "{error} The match goes on when it does.": "{error} La sfida continua quando risponde.",
  "{name} (first)": "{name} (primo)",
  "{name} (second)": "{name} (secondo)",
  "{score}, {a} against {b}": "{score}, {a} contro {b}",
  "Open game {number} in Analyse": "Apri la partita {number} nell'Analisi",

  // web/play/matchform.js
  "First player": "Primo giocatore",
  "Second player": "Secondo giocatore",
  "Games, two from each opening": "Partite, due per ogni apertura",
  "FEN for the match": "FEN per la sfida",
  Openings: "Aperture",
  "three-move ballots by lot": "aperture a tre mosse a sorte",
  "11-man ballots by lot": "aperture a 11 pedine a sorte",
  "the start (two games)": "l'inizio (due partite)",
  "a position (two games)": "una posizione (due partite)",
  Time: "Tempo",
  "0.1 s a move": "0,1 s per mossa",
  "0.3 s a move": "0,3 s per mossa",
  "1 s a move": "1 s per mossa",
  "5 s a move": "5 s per mossa",
  "To the last match": "All'ultima sfida",
  "Levels below the strongest think only as long as their strength allows. The match goes on while you look at something else, and gives way to all that you do.":
    "I livelli sotto il più forte pensano solo quanto la loro forza permette. La sfida continua mentre guardi altro, e lascia la precedenza a tutto ciò che fai.",

  // web/play/matchwords.js
  "kr, level {level} ({name})": "kr, livello {level} ({name})",
  "kr, level {level}": "kr, livello {level}",
  "people, without search": "umani, senza calcolo",
  "evolved, generation {number}": "evoluto, generazione {number}",
  "kr with the evaluation {name}": "kr con la valutazione {name}",
  "Monte Carlo, {count} play-outs": "Monte Carlo, {count} simulazioni",
  "random moves": "mosse a caso",
  "{games}: {wins} won, {draws} drawn, {losses} lost by {a}.":
    "{games}: {a} ne vince {wins}, ne patta {draws} e ne perde {losses}.",
  "No game is finished yet.": "Nessuna partita è ancora finita.",
  "So far neither is the stronger: 0 ± {error} Elo.": "Finora nessuno dei due è il più forte: 0 ± {error} Elo.",
  "{stronger} is {elo} ± {error} Elo stronger than {weaker} ({sure}% likely to be the stronger).":
    "{stronger} è di {elo} ± {error} Elo più forte di {weaker} (più forte con probabilità del {sure}%).",
  "Game {number} of {games}": "Partita {number} di {games}",
  "The match is over: {games} games": "La sfida è finita: partite {games}",
  "The match stopped: {why}": "La sfida si è fermata: {why}",
  "Stopped after {finished} of {games} games. Resume plays on; the game that was cut off begins again.":
    "Fermata dopo {finished} partite su {games}. Riprendi continua; la partita interrotta ricomincia.",
  "both saw the win": "tutti e due vedevano la vittoria",
  "both saw a draw": "tutti e due vedevano la patta",
  "decided by the endgame database": "decisa dal database dei finali",
  "an engine failed": "errore di un motore",
  "an engine failed: {detail}": "errore di un motore: {detail}",
  time: "tempo",
  "no piece left": "nessun pezzo",
  "Three-move ballot {title}": "Apertura a tre mosse {title}",
  "11-man ballot {title}": "Apertura a 11 pedine {title}",

  // web/play/openings.js
  From: "Da",
  "the start": "l'inizio",
  "a three-move ballot by lot": "un'apertura a tre mosse a sorte",
  "an 11-man ballot by lot": "un'apertura a 11 pedine a sorte",
  "a ballot of your choice": "un'apertura a tua scelta",
  "a position": "una posizione",
  "FEN of the position": "FEN della posizione",

  // web/play/opponents.js
  "none of these": "nessuno di questi",
  "an evolved player": "un giocatore evoluto",
  "Your opponent": "Il tuo avversario",
  "More opponents": "Altri avversari",
  Generation: "Generazione",
  "+{elo} Elo": "+{elo} Elo",
  "generation {number}": "generazione {number}",
  "A network that evolved from random numbers, by nothing but who won; the later its generation, the longer it has. It looks four plies ahead.":
    "Una rete evoluta da numeri casuali, solo in base a chi vinceva; più la generazione è tarda, più a lungo si è evoluta. Guarda quattro semimosse avanti.",
  "Plays what people of recorded games are likely to play, without a search. Between levels 5 and 6.":
    "Gioca ciò che chi ha giocato le partite registrate probabilmente giocherebbe, senza calcolo. Tra i livelli 5 e 6.",

  // web/play/page.js
  "Board of your game": "Damiera della tua partita",
  "Engines against each other": "Motori l'uno contro l'altro",
  "Don't show what must capture": "Non mostrare chi deve prendere",
  "Show what must capture": "Mostra chi deve prendere",

  // web/play/rules.js
  "The board": "La damiera",
  "Twelve men each on the dark squares. Black begins; then the sides move by turns. Whoever can't move, because no piece is left or all are blocked, loses.":
    "Dodici pedine per parte sulle caselle scure. Comincia il Nero; poi si muove a turno. Chi non può muovere, perché non ha più pezzi o sono tutti bloccati, perde.",
  "A man": "La pedina",
  "A man moves one square diagonally forward, to an empty square.":
    "La pedina muove di una casella in diagonale in avanti, su una casella vuota.",
  Captures: "Prese",
  "A piece captures by jumping over an enemy beside it, to the empty square behind. If it can jump on from there, it must: one move may take several pieces. Men capture forward only.":
    "Un pezzo prende saltando un pezzo nemico vicino, nella casella vuota dietro. Se da lì può saltare ancora, deve farlo: una mossa può prendere più pezzi. Le pedine prendono solo in avanti.",
  "You must capture": "Devi prendere",
  "If you can capture, you must. Among several captures you choose freely, also one that takes fewer pieces.":
    "Se puoi prendere, devi farlo. Tra più prese scegli liberamente, anche quella che prende meno pezzi.",
  Kings: "Dame",
  "A man that reaches the last row becomes a king, and its move ends there. A king moves and captures forward and backward, one square at a time.":
    "Una pedina che arriva all'ultima riga diventa dama, e lì la sua mossa finisce. La dama muove e prende in avanti e indietro, una casella per volta.",
  "The game is drawn if both agree, if a position is on the board for the third time with the same side to move, and after 40 moves each without a capture or a man's move.":
    "La partita è patta se i due giocatori sono d'accordo, se una posizione si presenta per la terza volta con lo stesso giocatore di turno, e dopo 40 mosse per parte senza una presa né una mossa di pedina.",
  "Rules of English draughts": "Regole della dama inglese",

  // web/play/words.js
  Beginner: "Principiante",
  Learner: "Allievo",
  "Club player": "Giocatore di circolo",
  "Strong club player": "Forte giocatore di circolo",
  Expert: "Esperto",
  "As strong as kr can": "Il massimo di kr",
  "takes what it sees, and overlooks most": "prende ciò che vede, e non vede quasi nulla",
  "sees simple captures, gives men away": "vede le prese semplici, regala pedine",
  "counts exchanges, falls for shots": "calcola i cambi, cade nei tiri",
  "seldom loses a man, errs in plans": "perde di rado una pedina, sbaglia i piani",
  "hardly ever errs": "non sbaglia quasi mai",
  "all its strength, all the time of its clock": "tutta la sua forza, tutto il tempo del suo orologio",
  "The weakest of kr's ten levels.": "Il più debole dei dieci livelli di kr.",
  "Level {number} of 10, {elo} ± {error} Elo above the first, by matches between the levels.":
    "Livello {number} di 10, {elo} ± {error} Elo sopra il primo, secondo le sfide tra i livelli.",
  "As kr judges, its moves give away at least as much as those of the weakest fifth of the players of 22,000 recorded games.":
    "A giudizio di kr, le sue mosse regalano almeno quanto quelle del quinto più debole dei giocatori di 22.000 partite registrate.",
  "As kr judges, its moves give away as much as those of the second weakest fifth of the players of 22,000 recorded games.":
    "A giudizio di kr, le sue mosse regalano quanto quelle del secondo quinto più debole dei giocatori di 22.000 partite registrate.",
  "As kr judges, its moves give away as much as those of the middle fifth of the players of 22,000 recorded games.":
    "A giudizio di kr, le sue mosse regalano quanto quelle del quinto medio dei giocatori di 22.000 partite registrate.",
  "As kr judges, its moves give away as much as those of the second strongest fifth of the players of 22,000 recorded games.":
    "A giudizio di kr, le sue mosse regalano quanto quelle del secondo quinto più forte dei giocatori di 22.000 partite registrate.",
  "As kr judges, its moves give away no more than those of the strongest fifth of the players of 22,000 recorded games.":
    "A giudizio di kr, le sue mosse non regalano più di quelle del quinto più forte dei giocatori di 22.000 partite registrate.",
  "kr, like people": "kr, come gli umani",
  You: "Tu",
  "A draw: the same position for the third time.": "Patta: la stessa posizione per la terza volta.",
  "A draw: 40 moves each without a capture or a man's move.":
    "Patta: 40 mosse per parte senza una presa né una mossa di pedina.",
  "A draw: agreed.": "Patta d'accordo.",
  "A draw: {reason}.": "Patta: {reason}.",
  "You win: kr resigns.": "Vinci: kr abbandona.",
  "You win: kr's time is up.": "Vinci: kr ha finito il tempo.",
  "You win: kr has no piece left.": "Vinci: kr non ha più pezzi.",
  "You win: kr can't move.": "Vinci: kr non può muovere.",
  "You win: {reason}.": "Vinci: {reason}.",
  "kr wins: you resigned.": "Vince kr: hai abbandonato.",
  "kr wins: your time is up.": "Vince kr: hai finito il tempo.",
  "kr wins: you have no piece left.": "Vince kr: non hai più pezzi.",
  "kr wins: you can't move.": "Vince kr: non puoi muovere.",
  "kr wins: {reason}.": "Vince kr: {reason}.",
  "{winner} wins: {loser} resigns.": "Vince {winner}: {loser} abbandona.",
  "{winner} wins: the time of {loser} is up.": "Vince {winner}: {loser} ha finito il tempo.",
  "{winner} wins: {loser} has no piece left.": "Vince {winner}: {loser} non ha più pezzi.",
  "{winner} wins: {loser} can't move.": "Vince {winner}: {loser} non può muovere.",
  "{winner} wins: {reason}.": "Vince {winner}: {reason}.",
  "You play {move}. kr is thinking …": "Giochi {move}. kr pensa …",
  "kr is thinking …": "kr pensa …",
  "kr is looking for a hint …": "kr cerca un suggerimento …",
  "{before} plays {move}. {name} to move.": "{before} gioca {move}. Tocca a {name}.",
  "kr plays {move}, from its book. Your move.": "kr gioca {move}, dal libro. Tocca a te.",
  "{name} to move.": "Tocca a {name}.",
  "kr offers a draw: accept it, or play on.": "kr propone patta: accettala, o continua a giocare.",
  "You must capture: {moves}.": "Devi prendere: {moves}.",
  "kr declines the draw: it sees itself ahead.": "kr rifiuta la patta: si vede in vantaggio.",
  "kr declines the draw: it was ahead a few moves ago.": "kr rifiuta la patta: poche mosse fa era in vantaggio.",
  "kr declines the draw: it accepts none before its move {number}.":
    "kr rifiuta la patta: non ne accetta prima della sua mossa {number}.",
  "kr declines the draw: in an even game it accepts none before ply {number}.":
    "kr rifiuta la patta: in una partita pari non ne accetta prima della semimossa {number}.",
  "kr declines the draw: {why}.": "kr rifiuta la patta: {why}.",
  "{move} is the only legal move.": "{move} è l'unica mossa regolare.",
  "{move} wins: a win in {plies}, seen to its end.": "{move} vince: vittoria in {plies}, calcolata fino alla fine.",
  "{move} wins: that is proved.": "{move} vince: è dimostrato.",
  "{move} holds the draw: that is proved.": "{move} tiene la patta: è dimostrato.",
  "The game is lost in {plies}; {move} holds out longest.":
    "La partita è persa in {plies}; {move} resiste più a lungo.",
  "The game is lost by any move; {move} makes it hardest.":
    "La partita è persa con ogni mossa; {move} rende la vittoria più difficile.",
  "{move} wins {pieces} in {plies}.": "{move} guadagna {pieces} in {plies}.",
  "{move} gives up {pieces}, and is best all the same.": "{move} cede {pieces}, ma è comunque la mossa migliore.",
  "{move} gives up {pieces}, and nothing gives up less.": "{move} cede {pieces}, e nessuna mossa cede meno.",
  "{move} gets a king in {plies}.": "{move} porta a dama in {plies}.",
  "{move} and {other} are equally good.": "{move} e {other} si equivalgono.",
  "Of a hundred such games you win {win}, draw {draw} and lose {loss}.":
    "Su cento partite così: {win} vinte, {draw} patte, {loss} perse.",
  "{move} loses in {plies}.": "{move} perde in {plies}.",
  "{move} loses.": "{move} perde.",
  "With {move}, the next best, no win is seen.": "Con {move}, la seconda migliore, non si vede una vittoria.",
  "{move} loses {pieces} in {plies}.": "{move} perde {pieces} in {plies}.",
  "{move}, the next best, is worse by {men} men.": "{move}, la seconda migliore, vale {men} pedine di meno.",

  // web/proofs/state.js
  "10 minutes": "10 minuti",
  "Proved: a draw": "Dimostrato: patta",
  "Proved: {claim}": "Dimostrato: {claim}",
  "Nothing is proved yet": "Ancora niente è dimostrato",
  "{claim}: proved": "{claim}: dimostrato",
  "{claim}: refuted": "{claim}: confutato",
  "{claim}: proof number {proof}, disproof number {disproof}":
    "{claim}: numero di prova {proof}, di confutazione {disproof}",
  "resists: {moves}": "resiste: {moves}",
  "search|searches": "ricerca|ricerche",
  "node|nodes": "nodo|nodi",
  "lines of at most {plies}": "linee di al massimo {plies}",
  "{plies} in a row without progress": "{plies} di fila senza progresso",
  "Draws by rule are not losses: this holds under all rules.":
    "Le patte per regola non sono sconfitte: vale con tutte le regole.",
  "Not covered: draws by rule, 80 plies without progress and repetition.":
    "Escluse le patte per regola: 80 semimosse senza progresso e ripetizione.",
  "No line repeats a position or goes 80 plies without progress: this holds under all rules.":
    "Nessuna linea ripete una posizione o resta 80 semimosse senza progresso: vale con tutte le regole.",
  "ends by the rules": "finisce per le regole",
  "ends in the database: {value} for the side to move": "finisce nel database: {value} per chi muove",
  "The certificate does not have this position.": "Il certificato non ha questa posizione.",
  "Proved: {claim}. The line {end}.": "Dimostrato: {claim}. La linea {end}.",
  "At most {plies} to the end of a line.": "Al massimo {plies} alla fine di una linea.",
  "The strategy plays {move}.": "La strategia gioca {move}.",
  "Whatever is played, it has an answer; the hardest defence comes first.":
    "A ogni mossa c'è una risposta; la difesa più tenace è la prima.",

  // web/proofs/view.js
  "Play {move} and the answer {answer}": "Gioca {move} e la risposta {answer}",
  Reply: "Replica",
  Answer: "Risposta",
  Left: "Restano",
  Beginning: "Inizio",
  "Step through": "Percorri",
  "Save certificate": "Salva certificato",

  // web/proofs/panel.js
  "Moves of the line": "Mosse della linea",
  "Hardest defence": "Difesa più tenace",
  Proof: "Dimostrazione",
  "Time for a proof": "Tempo per una dimostrazione",
  Prove: "Dimostra",
  "Open certificate…": "Apri certificato…",
  "A file of kr prove; or drop it on the page": "Un file di kr prove; o trascinalo sulla pagina",
  "Checking {name} …": "Controllo {name} …",
  "Checking {name}: {percent}%": "Controllo {name}: {percent}%",
  "Proving …": "Dimostrazione in corso …",
  Stopped: "Fermata",

  // web/regions/panel.js
  "Colours show": "Colori",
  "what each piece adds": "quanto aggiunge ogni pezzo",
  "what each region adds, square by square": "quanto aggiunge ogni zona, casella per casella",
  nothing: "niente",
  "+ helps Black": "+ per il Nero",
  "− helps White": "− per il Bianco",
  "How kr judges without looking ahead: which squares help whom, in men.":
    "Come kr giudica senza calcolare: quali caselle aiutano chi, in pedine.",
  "all regions": "tutte le zone",
  "Reading the tables …": "Lettura delle tabelle …",

  // web/regions/state.js
  "{number} million": "{number} milioni",
  "{number} thousand": "{number} mila",
  "At a glance the sides are equal ({weights}).": "A colpo d'occhio le parti sono pari ({weights}).",
  "At a glance Black is ahead by {score} of a man ({weights}).":
    "A colpo d'occhio il Nero è avanti di {score} di pedina ({weights}).",
  "At a glance White is ahead by {score} of a man ({weights}).":
    "A colpo d'occhio il Bianco è avanti di {score} di pedina ({weights}).",
  "At a glance Black is ahead by {score} men ({weights}).":
    "A colpo d'occhio il Nero è avanti di {score} pedine ({weights}).",
  "At a glance White is ahead by {score} men ({weights}).":
    "A colpo d'occhio il Bianco è avanti di {score} pedine ({weights}).",
  "For Black: men {material}, the move {move}, where the pieces stand {places}, empty squares {empty}.":
    "Per il Nero: pezzi {material}, la mossa {move}, dove stanno i pezzi {places}, caselle vuote {empty}.",
  "Seen: how often these squares looked just like this, within a tenth, in {games}. Seldom seen says little.":
    "Vista: quante volte queste caselle si sono viste proprio così, a meno di un decimo, in {games}. Vista di rado dice poco.",
  "How often a pattern was seen is not in this weights file.":
    "Questo file dei pesi non dice quante volte una zona si è vista.",

  // web/regions/view.js
  never: "mai",
  men: "pedine",
  helps: "aiuta",
  seen: "vista",
  squares: "caselle",
  "Strongest regions": "Zone più influenti",

  // web/repertoire/drill.js
  "Nothing to ask for here.": "Qui non c'è niente da chiedere.",
  "{right} known, {missed} missed; those come again tomorrow.":
    "Giuste: {right}. Sbagliate: {missed}, che tornano domani.",
  "{right} known, none missed.": "Giuste: {right}. Sbagliate: nessuna.",
  "Your move, with Black.": "Tocca a te, con il Nero.",
  "Your move, with White.": "Tocca a te, con il Bianco.",
  "{move} was played.": "È stata giocata {move}.",

  // web/repertoire/files.js
  "{name} is too large for a repertoire: at most {count} games":
    "{name} è troppo grande per un repertorio: al massimo {count} partite",

  // web/repertoire/panel.js
  "Repertoire for": "Repertorio per il",
  "Mark as mine": "Segna come mia",
  "Mark {move} as mine": "Segna {move} come mia",
  "Unmark {move}": "Togli {move}",
  Train: "Allenati",
  "Missed: {count}": "Sbagliate: {count}",
  "Go back there": "Torna lì",
  "The first three moves are drawn by lot": "Le prime tre mosse sono sorteggiate",
  "Load PDN": "Carica PDN",
  "From the start": "Dall'inizio",
  "From a position": "Da una posizione",
  "Openings, to look through": "Aperture da sfogliare",
  "This browser keeps no more for the page. Save the repertoire as PDN, and unmark what you don't play":
    "Il browser non conserva altro per la pagina. Salva il repertorio come PDN e togli ciò che non giochi",
  "{move} is not yours any more": "{move} non è più tua",
  "{move} is yours": "{move} è tua",
  "{move} is drawn by lot: mark a later move": "{move} è sorteggiata: segna una mossa successiva",

  // web/repertoire/state.js
  yours: "tua",
  suggested: "suggerita",
  answered: "con risposta",
  "no answer": "senza risposta",
  "{positions} with your move": "{positions} con una tua mossa",
  "{count} to be asked again today": "{count} da richiedere oggi",
  "Nothing for Black so far. Play an opening on the board, then mark your last move: it becomes yours, with all of Black's moves before it. Or load a PDN file; drop it here.":
    "Finora niente per il Nero. Gioca un'apertura sulla damiera, poi segna la tua ultima mossa: diventa tua con tutte le mosse del Nero che la precedono. Oppure carica un file PDN, o trascinalo qui.",
  "Nothing for White so far. Play an opening on the board, then mark your last move: it becomes yours, with all of White's moves before it. Or load a PDN file; drop it here.":
    "Finora niente per il Bianco. Gioca un'apertura sulla damiera, poi segna la tua ultima mossa: diventa tua con tutte le mosse del Bianco che la precedono. Oppure carica un file PDN, o trascinalo qui.",
  "Your repertoire was left by {move}: your move there is {meant}.":
    "Il tuo repertorio è stato lasciato con {move}: lì la tua mossa è {meant}.",
  "Your repertoire was left by {move}: it has {meant}.":
    "Il tuo repertorio è stato lasciato con {move}: prevede {meant}.",
  "Your repertoire ends before {move}.": "Il tuo repertorio finisce prima di {move}.",
  "This line is not in your repertoire.": "Questa linea non è nel tuo repertorio.",
  "Replies that you have an answer to, and those that people play:":
    "Le mosse a cui sai rispondere e quelle che si giocano:",
  "Your line ends here. People reply:": "La tua linea finisce qui. Si risponde:",
  "Your moves here: {moves}. One is enough: unmark the others.":
    "Le tue mosse qui: {moves}. Ne basta una: togli le altre.",
  "Your move here:": "La tua mossa qui:",
  "The book suggests a move here:": "Qui il libro suggerisce una mossa:",
  "You have no move here: make one, and mark it.": "Qui non hai una mossa: giocane una e segnala.",
  "You have no move here: make one, and mark it. The book plays {move}.":
    "Qui non hai una mossa: giocane una e segnala. Il libro gioca {move}.",
  "by the book {move} is {loss} better": "per il libro {move} è migliore di {loss}",
  "by the book {move} is better": "per il libro {move} è migliore",
  "{name}: {games}; {left} could not be read": "{name}: {games}; {left} illeggibili",
  "opening|openings": "apertura|aperture",

  // web/repertoire/trainer.js
  "Next line": "Prossima linea",
  "Next move": "Prossima mossa",
  "Missed before": "Già sbagliate",
  Training: "Allenamento",
  "✗ {move} is not your move here. Try again.": "✗ {move} non è la tua mossa qui. Riprova.",
  "✓ {move} is right.": "✓ {move} è giusta.",
  "The line ends here.": "La linea finisce qui.",
  "Your move here is {move}. Play it.": "La tua mossa qui è {move}. Giocala.",

  // web/repertoire/view.js
  "In your repertoire": "Nel tuo repertorio",
  Change: "Modifica",
  "Take over": "Adotta",
  "Take {move} over": "Adotta {move}",

  // web/review/panel.js
  "Quick: 50,000 nodes a search": "Rapida: 50.000 nodi per calcolo",
  "Normal: 200,000 nodes": "Normale: 200.000 nodi",
  "Deep: 1 million nodes": "Profonda: 1 milione di nodi",
  "Very deep: 5 million nodes": "Molto profonda: 5 milioni di nodi",
  "0.3 seconds a search": "0,3 secondi per calcolo",
  "1 second": "1 secondo",
  "3 seconds": "3 secondi",
  "The game is reviewed.": "La revisione è finita.",
  "Limit of each search": "Limite di ogni calcolo",
  "Moves judged": "Mosse giudicate",
  "Review this game": "Rivedi la partita",
  "‹ mark": "‹ segno",
  "Mark before (p)": "Segno precedente (p)",
  "mark ›": "segno ›",
  "Next mark (n)": "Segno successivo (n)",
  "Marked moves": "Mosse segnate",
  "All figures": "Tutte le cifre",
  "A longer limit takes more time and makes the marks firmer.":
    "Un limite più alto richiede più tempo e rende i segni più sicuri.",
  "Stopped.": "Fermata.",
  "Review it again": "Rivedila di nuovo",
  "Learn from your mistakes ({count})": "Impara dai tuoi errori ({count})",
  "{side} ({count})": "{side} ({count})",
  "Learn from the mistakes of": "Impara dagli errori",

  // web/review/practice.js
  "Show the answer": "Mostra la risposta",
  "Next mistake": "Prossimo errore",
  Leave: "Esci",
  "Learn from your mistakes": "Impara dai tuoi errori",
  "Mistake {number} of {total}": "Errore {number} di {total}",
  "To the result": "Al risultato",
  "{move} was played here ({kind}). Find a better move for Black.":
    "Qui si è giocata {move} ({kind}). Trova una mossa migliore per il Nero.",
  "{move} was played here ({kind}). Find a better move for White.":
    "Qui si è giocata {move} ({kind}). Trova una mossa migliore per il Bianco.",
  "Looking at that move…": "Guardo questa mossa…",
  "Right. The line: {moves}": "Giusto. La linea: {moves}",
  "{better} was better: {moves}": "Era meglio {better}: {moves}",
  "{move} is what was played.": "{move} è la mossa giocata.",
  "{move} gives away {loss} in 100.": "{move} regala {loss} su 100.",
  "Not that: {why} Try again.": "Non questa: {why} Riprova.",
  "Right: {move} is as good as {better}.": "Giusto: {move} vale quanto {better}.",

  // web/review/state.js
  "{count} nodes": "{count} nodi",
  "{count} seconds": "{count} secondi",
  "{done} of {total} moves": "{done} di {total} mosse",
  "Judging from the last move to the first.": "Giudico dall'ultima mossa alla prima.",
  "{count}. Undo takes the marks out.": "{count}. Annulla toglie i segni.",
  "Another game was opened.": "È stata aperta un'altra partita.",
  "The moves of the game were changed.": "Le mosse della partita sono cambiate.",
  "Certain: the result is proved.": "Certo: il risultato è dimostrato.",
  "Not firm: only one search has seen this. A longer limit may judge it otherwise.":
    "Non sicuro: l'ha visto un solo calcolo. Con un limite più alto il giudizio può cambiare.",
  "Fairly firm: two searches of {limit} agree. A longer limit may judge it otherwise.":
    "Abbastanza sicuro: due calcoli di {limit} concordano. Con un limite più alto il giudizio può cambiare.",
  "Fairly firm: two searches agree. A longer limit may judge it otherwise.":
    "Abbastanza sicuro: due calcoli concordano. Con un limite più alto il giudizio può cambiare.",
  "{share} of 100 people play {move} here; no other move is played more.":
    "Qui {share} persone su 100 giocano {move}; nessun'altra mossa si gioca di più.",
  "{share} of 100 people play {move} here; most play {other} ({most} of 100).":
    "Qui {share} persone su 100 giocano {move}; la più giocata è {other} ({most} su 100).",
  "Hardly anyone plays {move} here; most play {other} ({most} of 100).":
    "Qui quasi nessuno gioca {move}; la più giocata è {other} ({most} su 100).",
  "You found {first} of {total} at the first try, {later} later.":
    "Ne hai trovati {first} su {total} al primo tentativo, {later} dopo.",
  "You found {first} of {total} at the first try.": "Ne hai trovati {first} su {total} al primo tentativo.",
  "inaccuracy|inaccuracies": "imprecisione|imprecisioni",
  "mistake|mistakes": "errore|errori",
  "blunder|blunders": "errore grave|errori gravi",
  "only move|only moves": "mossa unica|mosse uniche",

  // web/review/stream.js
  "All engines are busy; waiting for one.": "Tutti i motori sono occupati; ne aspetto uno.",
  "The game was changed as the marks were put in, and stays as it is now: review it again.":
    "La partita è stata cambiata mentre si mettevano i segni, e resta com'è ora: rivedila di nuovo.",
  "The engine gave no answer.": "Il motore non ha risposto.",

  // web/review/view.js
  "Each move that mattered counts 100 if it gave nothing away, and half of that for each .08 of the expected result that it gave away; forced and obvious moves and those of a decided game do not count.":
    "Ogni mossa che contava vale 100 se non ha regalato nulla, e la metà per ogni 0,08 di risultato atteso che ha regalato; non contano le mosse obbligate o ovvie e quelle di una partita già decisa.",
  "Chances of the side to move after {better}: {best} in 100; after {move}: {own}.":
    "Probabilità di chi muove dopo {better}: {best} su 100; dopo {move}: {own}.",
  "Any other move would have given much away.": "Ogni altra mossa avrebbe regalato molto.",
  judged: "giudicate",
  best: "migliori",
  unmarked: "senza segno",
  "loss a move": "perdita a mossa",

  // web/runs/chart.js
  Numbers: "Numeri",
  "nothing yet": "ancora nulla",

  // web/runs/detail.js
  "What these words mean": "Che cosa significano queste parole",
  Run: "Lavoro",
  "All runs": "Tutti i lavori",
  "last change {time}": "ultima modifica {time}",

  // web/runs/page.js
  "Start kr web with --runs DIR to watch the self-play, fits, training runs and matches in a directory.":
    "Avvia kr web con --runs CARTELLA per seguire partite di kr contro se stesso, adattamenti, addestramenti e sfide in una cartella.",
  "There are no runs in the directory yet.": "Nella cartella non ci sono ancora lavori.",

  // web/runs/retold.js
  "1 game": "1 partita",
  "{count} games": "{count} partite",
  "{done} of {games}": "{done} di {games}",
  "1 generation": "1 generazione",
  "{count} generations": "{count} generazioni",
  "{generations}; now {number}, {step}": "{generations}; ora {number}, {step}",
  "{group} 1 iteration": "{group} 1 iterazione",
  "{group} {count} iterations": "{group} {count} iterazioni",
  "{step}: {progress}": "{step}: {progress}",
  "{count} batches": "{count} gruppi",
  "{count} iterations": "{count} iterazioni",
  "validation loss {number}": "perdita di validazione {number}",
  "held-out loss {losses}": "perdita tenuta da parte {losses}",
  "men {number}": "pedine {number}",
  "kings {number}": "dame {number}",
  "reading data": "lettura dei dati",
  "reading shard {number} of {count}": "lettura del blocco {number} di {count}",
  fitted: "adattato",
  "its files hold values that make no sense": "i suoi file contengono valori senza senso",
  "reading {time}": "lettura {time}",
  "fitting {time}": "adattamento {time}",
  "Games of shards under way": "Partite dei blocchi in corso",
  Speed: "Velocità",
  "{number} MB": "{number} MB",
  "{number} games/s": "{number} partite/s",
  unknown: "sconosciuta",
  "Plies a game": "Semimosse a partita",
  "from {low} to {high}": "da {low} a {high}",
  Shards: "Blocchi",
  Weights: "Pesi",
  "Nodes a move": "Nodi per mossa",
  "Time a move": "Tempo per mossa",
  Seed: "Seme",
  "Endgame database": "Database dei finali",
  Begun: "Iniziato",
  Command: "Comando",
  "Begun with": "Iniziato con",
  Strongest: "Il più forte",
  "Elo over the start": "Elo sopra l'inizio",
  "Under way": "In corso",
  Warning: "Avviso",
  Fit: "Adattamento",
  "Wins, losses, draws so far": "Vittorie, sconfitte, patte finora",
  "Wins, losses, draws of {name}": "Vittorie, sconfitte, patte di {name}",
  Elo: "Elo",
  "Normalized Elo": "Elo normalizzato",
  "Likelihood of superiority": "Probabilità di superiorità",
  "LLR of {low} to {high} Elo": "LLR da {low} a {high} Elo",
  "{ratio}; decided for {elo} Elo": "{ratio}; deciso per {elo} Elo",
  "{ratio} ({low} to {high})": "{ratio} (da {low} a {high})",
  Limit: "Limite",
  "Limit of B": "Limite di B",
  "Iterations, {group}": "Iterazioni, {group}",
  Iterations: "Iterazioni",
  "Quiet positions": "Posizioni tranquille",
  "Centi-men in a logit": "Centesimi di pedina in un logit",
  Target: "Bersaglio",
  Loss: "Perdita",
  "Held out": "Tenute da parte",
  Model: "Modello",
  Decisions: "Decisioni",
  "Training positions": "Posizioni di addestramento",
  "Validation positions": "Posizioni di validazione",
  "Unforced moves of the test part": "Mosse libere della parte di prova",
  "{percent}% right": "{percent}% giuste",
  "{percent}% within three": "{percent}% entro tre",
  "Best epoch": "Epoca migliore",
  "Best iteration": "Iterazione migliore",
  Batches: "Gruppi",
  "Loss in the epoch under way": "Perdita nell'epoca in corso",
  "Results by openings": "Risultati per aperture",
  "Ends of the games": "Fini delle partite",
  "Positions by pieces": "Posizioni per pezzi",
  "Last games": "Ultime partite",
  Gates: "Selezioni",
  Generations: "Generazioni",
  Pairs: "Coppie",
  Players: "Giocatori",
  "Loss by pieces on the board": "Perdita per pezzi sulla damiera",
  "Table entries by times seen in training": "Voci delle tabelle per volte viste nell'addestramento",
  Calibration: "Calibrazione",
  "Games fitted to": "Partite su cui si è adattato",
  "Learning curve": "Curva di apprendimento",
  openings: "aperture",
  games: "partite",
  "Black wins %": "vince il Nero %",
  "drawn %": "patte %",
  "White wins %": "vince il Bianco %",
  phase: "fase",
  positions: "posizioni",
  game: "partita",
  winner: "vincitore",
  reason: "motivo",
  plies: "semimosse",
  opening: "apertura",
  generation: "generazione",
  "played by": "giocate da",
  nodes: "nodi",
  "held-out loss": "perdita tenuta da parte",
  play: "gioco",
  fit: "adattamento",
  gate: "selezione",
  "wins-losses-draws": "vittorie-sconfitte-patte",
  "pairs, worst first": "coppie, prima le peggiori",
  test: "test",
  verdict: "verdetto",
  "over the start": "sopra l'inizio",
  "points of two games": "punti di due partite",
  pairs: "coppie",
  player: "giocatore",
  "mean depth": "profondità media",
  "nodes/s": "nodi/s",
  "lost on time": "perse per il tempo",
  failures: "guasti",
  group: "gruppo",
  set: "insieme",
  distinct: "diverse",
  "mean loss": "perdita media",
  "result loss": "perdita sui risultati",
  pieces: "pezzi",
  run: "lavoro",
  from: "da",
  predicted: "previsto",
  target: "bersaglio",
  result: "risultato",
  epoch: "epoca",
  iteration: "iterazione",
  "validation loss": "perdita di validazione",
  right: "giuste",
  "right %": "giuste %",
  "first choice": "prima scelta",
  "first choice %": "prima scelta %",
  "first three choices": "prime tre scelte",
  "first three choices %": "prime tre scelte %",
  kings: "dame",
  training: "addestramento",
  "held out": "tenute da parte",
  accepted: "accettati",
  refused: "rifiutati",
  undecided: "indeciso",
  "{count} pieces": "{count} pezzi",
  "{pieces} pieces, no kings": "{pieces} pezzi, senza dame",
  "{pieces} pieces, kings": "{pieces} pezzi, con dame",
  entries: "voci",
  "at least {count}": "almeno {count}",
  "no move": "nessuna mossa",
  "proven by search": "dimostrata dal calcolo",
  "clear score": "punteggio netto",
  length: "lunghezza",
  "endgame database": "database dei finali",
  "adjudicated win": "vittoria assegnata",
  "adjudicated draw": "patta assegnata",
  "engine failure": "guasto di un motore",
  "time forfeit": "tempo",
  "Games over time": "Partite nel tempo",
  minutes: "minuti",
  "Results, shard by shard": "Risultati, blocco per blocco",
  "Length, shard by shard": "Lunghezza, blocco per blocco",
  "plies a game": "semimosse a partita",
  "Loss, {group}": "Perdita, {group}",
  "predicted points": "punti previsti",
  "points scored": "punti fatti",
  "held-out games": "partite tenute da parte",
  "as predicted": "come previsto",
  "Elo over the start, with 95% errors": "Elo sopra l'inizio, con errori al 95%",
  "Held-out loss": "Perdita tenuta da parte",
  "Elo with its 95% error": "Elo con il suo errore al 95%",
  "Elo of {name}": "Elo di {name}",
  "Log likelihood ratio": "Logaritmo del rapporto di verosimiglianza",
  validation: "validazione",
  "Right on validation data": "Giuste sui dati di validazione",

  // web/runs/state.js
  running: "in corso",
  done: "finito",
  stopped: "fermo",
  ended: "terminato",
  damaged: "danneggiato",
  "self-play": "kr contro se stesso",
  match: "sfida",
  evolution: "evoluzione",
  "fit of people": "adattamento agli umani",
  "fit of endings": "adattamento ai finali",
  "{name} {value} at {at} {unit}": "{name} {value}, {unit} {at}",
  "Numbers of {title}": "Numeri di {title}",
  "the difference in strength: who has 100 Elo more gets 64 of 100 points":
    "la differenza di forza: chi ha 100 Elo in più fa 64 punti su 100",
  "the error: the true number is within it in 95 of 100 cases": "l'errore: il numero vero vi rientra in 95 casi su 100",
  "the difference in strength, measured by what chance does to a pair of games":
    "la differenza di forza, misurata con ciò che il caso fa a una coppia di partite",
  "the chance that the first player is the stronger one": "la probabilità che il primo giocatore sia il più forte",
  LLR: "LLR",
  "the evidence of a test, which ends at one of its two bounds":
    "l'evidenza di un test, che finisce a uno dei suoi due limiti",
  "two games from one opening, each player once with each colour":
    "due partite da un'apertura, ogni giocatore una volta con ogni colore",
  Gate: "Selezione",
  "the match that new weights must pass before they take the place of the old ones":
    "la sfida che i nuovi pesi devono superare per prendere il posto dei vecchi",
  "how far predictions are from what happened: less is better":
    "quanto le previsioni distano da ciò che è successo: meno è meglio",
  "Held out, validation": "Tenute da parte, validazione",
  "what was not learned from, kept to test what was": "ciò che non è servito a imparare, tenuto per verificare",
  "whether a predicted chance comes true as often as it says":
    "se una probabilità prevista si avvera tanto spesso quanto dice",
  Epoch: "Epoca",
  "one pass through all that is learned from": "un passaggio su tutto ciò da cui si impara",
  Logit: "Logit",
  "a measure of chances; 0 is an even chance": "una misura di probabilità; 0 è la parità",
  Ply: "Semimossa",
  "one move of one side": "una mossa di una parte",
  Shard: "Blocco",
  "a file with a part of the games": "un file con una parte delle partite",

  // web/runs/view.js
  "Analyse game {number}": "Analizza la partita {number}",

  // web/composing/panel.js
  Stipulation: "Richiesta",
  "Not given": "Non indicata",
  "To win": "Vincere",
  "To draw": "Pattare",
  "Time of the proof": "Tempo della dimostrazione",
  Changes: "Modifiche",
  "One piece": "Un pezzo",
  "One or two pieces": "Uno o due pezzi",
  "Time of each variation": "Tempo per variante",
  "0.2 seconds": "0,2 secondi",
  "Strict: transposed ways count, and those after the result is plain":
    "Rigoroso: contano le vie trasposte e quelle dopo l'esito evidente",
  "Variations with duals too": "Anche varianti con duali",
  "Variations whose key is a capture too": "Anche varianti con una presa come chiave",
  "Is it sound?": "È corretto?",
  Variations: "Varianti",
  "Checked so far": "Controllato finora",
  Problem: "Problema",
  "{seconds} s, {nodes} million nodes": "{seconds} s, {nodes} milioni di nodi",
  "Back to the position that is varied": "Torna alla posizione di partenza",

  // web/composing/state.js
  "by a certificate of {positions}": "da un certificato di {positions}",
  "position|positions": "posizione|posizioni",
  "by the rules": "dalle regole",
  "by the database": "dal database",
  "by proofs against each move": "da dimostrazioni contro ogni mossa",
  "Black does not lose": "il Nero non perde",
  "White does not lose": "il Bianco non perde",
  Sound: "Corretto",
  "Cooked: there is another key": "Demolito: c'è un'altra chiave",
  "Dual at move {number}": "Duale alla mossa {number}",
  Unsound: "Scorretto",
  Undecided: "Non deciso",
  transposes: "traspone",
  "the position is a draw": "la posizione è patta",
  "Refuted: {claim}.": "Confutato: {claim}.",
  "Key: {move}.": "Chiave: {move}.",
  "Keys: {moves}.": "Chiavi: {moves}.",
  "Move {number}: {move}, also {others}.": "Mossa {number}: {move}, anche {others}.",
  "Open at move {number}: {moves}.": "Da decidere alla mossa {number}: {moves}.",
  "The result is open.": "L'esito non è deciso.",
  "More time, or a larger endgame database, decides more.":
    "Più tempo, o un database dei finali più grande, decide di più.",
  "the result is plain": "l'esito è evidente",
  "a position comes again": "una posizione si ripete",
  "the end": "la fine",
  "king {from} to {to}": "dama {from} in {to}",
  "man {from} to {to}": "pedina {from} in {to}",
  "without {square}": "senza {square}",
  "king on {square}": "dama in {square}",
  "man on {square}": "pedina in {square}",
  "plus black man {square}": "più pedina nera {square}",
  "plus black king {square}": "più dama nera {square}",
  "plus white man {square}": "più pedina bianca {square}",
  "plus white king {square}": "più dama bianca {square}",
  "key {key}, {moves}": "chiave {key}, {moves}",
  "dual at move {number}": "duale alla mossa {number}",
  "Stopped: the time is over.": "Fermato: il tempo è finito.",
  "Stopped: these are the most that are shown.": "Fermato: di più non se ne mostrano.",
  "{done} of {positions} checked, {found} kept.": "{done} di {positions} controllate, {found} tenute.",
  "{count} undecided.": "{count} non decise.",

  // web/composing/view.js
  Line: "Linea",
  "Step back": "Un passo indietro",
  "Step on": "Un passo avanti",
  "*: proved to be the only way.": "*: dimostrata l'unica via.",

  // web/setup/editor.js
  "Black man": "Pedina nera",
  "Black king": "Dama nera",
  "White man": "Pedina bianca",
  "White king": "Dama bianca",
  "Clear a square": "Svuota una casella",
  "Side to move": "Chi muove",
  "Position editor": "Editor della posizione",
  "Choose a piece and click squares; drag a piece to move it, off the board to remove it.":
    "Scegli un pezzo e clicca sulle caselle; trascina un pezzo per spostarlo, fuori dalla damiera per toglierlo.",

  // web/setup/finder.js
  "lost by kr's search": "persa per il calcolo di kr",
  barred: "esclusa",
  Ballots: "Aperture a sorteggio",
  "Three-move ballots": "Aperture a tre mosse",
  "11-man ballots": "Aperture a 11 pedine",
  "Openings with a name": "Aperture con un nome",
  "number, name or moves": "numero, nome o mosse",
  "Find a ballot": "Cerca un'apertura",
  "{count} more: say more to find them": "altre {count}: scrivi di più per trovarle",
  "Not among these, but among the openings with a name:": "Non tra queste, ma tra le aperture con un nome:",
  "No opening is called so.": "Nessuna apertura si chiama così.",

  // web/setup/setup.js
  "Place pieces": "Disponi i pezzi",
  "The board is empty: a position needs pieces": "La damiera è vuota: una posizione ha bisogno di pezzi",
  Set: "Imposta",
  "Undo brings the former game back": "Annulla riporta la partita di prima",

  // packaging/page/static: the page without a server
  "Load again": "Ricarica",
  "A newer version is there": "C'è una versione più recente",
  "This part of the page did not load. Is there a connection?":
    "Questa parte della pagina non si è caricata. C'è una connessione?",
  "openings and puzzles": "aperture e problemi",
  "the opening book": "il libro di apertura",
  "the endgame database": "il database dei finali",
  "what people play": "le mosse delle persone",
  "the engine": "il motore",
  "there is no connection": "non c'è connessione",
  "it came damaged": "è arrivato danneggiato",
  "only a part of it came": "ne è arrivata solo una parte",
  "Could not load {what}: {why}": "Impossibile caricare {what}: {why}",
  "{loaded} of {total} MB": "{loaded} di {total} MB",
  "Loading {what}": "Caricamento: {what}",
  "This browser keeps no files of this page: they are loaded again at each visit":
    "Questo browser non conserva i file della pagina: si ricaricano a ogni visita",
  "{name} is larger than {size} MB": "{name} è più grande di {size} MB",
  "its script did not load": "il suo script non si è caricato",
  "The engine did not start: {why}": "Il motore non è partito: {why}",
  // kr/analysis/annotation: the story of a game, and its page
  "Black resigned a lost position.": "Il Nero ha abbandonato in posizione persa.",
  "White resigned a lost position.": "Il Bianco ha abbandonato in posizione persa.",
  "You resigned a lost position.": "Hai abbandonato in posizione persa.",
  "Black resigned a worse position, but not a lost one.": "Il Nero ha abbandonato in posizione peggiore, ma non persa.",
  "White resigned a worse position, but not a lost one.":
    "Il Bianco ha abbandonato in posizione peggiore, ma non persa.",
  "You resigned a worse position, but not a lost one.": "Hai abbandonato in posizione peggiore, ma non persa.",
  "Black resigned an even position.": "Il Nero ha abbandonato in posizione pari.",
  "White resigned an even position.": "Il Bianco ha abbandonato in posizione pari.",
  "You resigned an even position.": "Hai abbandonato in posizione pari.",
  "Black resigned a drawn position.": "Il Nero ha abbandonato in posizione patta.",
  "White resigned a drawn position.": "Il Bianco ha abbandonato in posizione patta.",
  "You resigned a drawn position.": "Hai abbandonato in posizione patta.",
  "Black resigned the better position.": "Il Nero ha abbandonato in posizione migliore.",
  "White resigned the better position.": "Il Bianco ha abbandonato in posizione migliore.",
  "You resigned the better position.": "Hai abbandonato in posizione migliore.",
  "Black resigned a won position.": "Il Nero ha abbandonato in posizione vinta.",
  "White resigned a won position.": "Il Bianco ha abbandonato in posizione vinta.",
  "You resigned a won position.": "Hai abbandonato in posizione vinta.",
  "Black resigned.": "Il Nero ha abbandonato.",
  "White resigned.": "Il Bianco ha abbandonato.",
  "You resigned.": "Hai abbandonato.",
  "Black lost on time, in a lost position.": "Il Nero ha perso per il tempo, in posizione persa.",
  "White lost on time, in a lost position.": "Il Bianco ha perso per il tempo, in posizione persa.",
  "You lost on time, in a lost position.": "Hai perso per il tempo, in posizione persa.",
  "Black lost on time, in a worse position, but not a lost one.":
    "Il Nero ha perso per il tempo, in posizione peggiore, ma non persa.",
  "White lost on time, in a worse position, but not a lost one.":
    "Il Bianco ha perso per il tempo, in posizione peggiore, ma non persa.",
  "You lost on time, in a worse position, but not a lost one.":
    "Hai perso per il tempo, in posizione peggiore, ma non persa.",
  "Black lost on time, in an even position.": "Il Nero ha perso per il tempo, in posizione pari.",
  "White lost on time, in an even position.": "Il Bianco ha perso per il tempo, in posizione pari.",
  "You lost on time, in an even position.": "Hai perso per il tempo, in posizione pari.",
  "Black lost on time, in a drawn position.": "Il Nero ha perso per il tempo, in posizione patta.",
  "White lost on time, in a drawn position.": "Il Bianco ha perso per il tempo, in posizione patta.",
  "You lost on time, in a drawn position.": "Hai perso per il tempo, in posizione patta.",
  "Black lost on time, in the better position.": "Il Nero ha perso per il tempo, in posizione migliore.",
  "White lost on time, in the better position.": "Il Bianco ha perso per il tempo, in posizione migliore.",
  "You lost on time, in the better position.": "Hai perso per il tempo, in posizione migliore.",
  "Black lost on time, in a won position.": "Il Nero ha perso per il tempo, in posizione vinta.",
  "White lost on time, in a won position.": "Il Bianco ha perso per il tempo, in posizione vinta.",
  "You lost on time, in a won position.": "Hai perso per il tempo, in posizione vinta.",
  "Black lost on time.": "Il Nero ha perso per il tempo.",
  "White lost on time.": "Il Bianco ha perso per il tempo.",
  "You lost on time.": "Hai perso per il tempo.",
  "Black lost, in a lost position.": "Il Nero ha perso, in posizione persa.",
  "White lost, in a lost position.": "Il Bianco ha perso, in posizione persa.",
  "You lost, in a lost position.": "Hai perso, in posizione persa.",
  "Black lost, in a worse position, but not a lost one.": "Il Nero ha perso, in posizione peggiore, ma non persa.",
  "White lost, in a worse position, but not a lost one.": "Il Bianco ha perso, in posizione peggiore, ma non persa.",
  "You lost, in a worse position, but not a lost one.": "Hai perso, in posizione peggiore, ma non persa.",
  "Black lost, in an even position.": "Il Nero ha perso, in posizione pari.",
  "White lost, in an even position.": "Il Bianco ha perso, in posizione pari.",
  "You lost, in an even position.": "Hai perso, in posizione pari.",
  "Black lost, in a drawn position.": "Il Nero ha perso, in posizione patta.",
  "White lost, in a drawn position.": "Il Bianco ha perso, in posizione patta.",
  "You lost, in a drawn position.": "Hai perso, in posizione patta.",
  "Black lost, in the better position.": "Il Nero ha perso, in posizione migliore.",
  "White lost, in the better position.": "Il Bianco ha perso, in posizione migliore.",
  "You lost, in the better position.": "Hai perso, in posizione migliore.",
  "Black lost, in a won position.": "Il Nero ha perso, in posizione vinta.",
  "White lost, in a won position.": "Il Bianco ha perso, in posizione vinta.",
  "You lost, in a won position.": "Hai perso, in posizione vinta.",
  "Black lost.": "Il Nero ha perso.",
  "White lost.": "Il Bianco ha perso.",
  "You lost.": "Hai perso.",
  "The players agreed to a draw in an even position.": "I giocatori si sono accordati per la patta in posizione pari.",
  "The players agreed to a draw in a drawn position.": "I giocatori si sono accordati per la patta in posizione patta.",
  "The players agreed to a draw where Black had the better position.":
    "I giocatori si sono accordati per la patta quando il Nero aveva la posizione migliore.",
  "The players agreed to a draw where White had the better position.":
    "I giocatori si sono accordati per la patta quando il Bianco aveva la posizione migliore.",
  "The players agreed to a draw where you had the better position.":
    "I giocatori si sono accordati per la patta quando avevi la posizione migliore.",
  "The players agreed to a draw where Black had a won position.":
    "I giocatori si sono accordati per la patta quando il Nero aveva una posizione vinta.",
  "The players agreed to a draw where White had a won position.":
    "I giocatori si sono accordati per la patta quando il Bianco aveva una posizione vinta.",
  "The players agreed to a draw where you had a won position.":
    "I giocatori si sono accordati per la patta quando avevi una posizione vinta.",
  "The players agreed to a draw.": "I giocatori si sono accordati per la patta.",
  "The game was drawn in an even position.": "La partita è finita patta in posizione pari.",
  "The game was drawn in a drawn position.": "La partita è finita patta in posizione patta.",
  "The game was drawn where Black had the better position.":
    "La partita è finita patta quando il Nero aveva la posizione migliore.",
  "The game was drawn where White had the better position.":
    "La partita è finita patta quando il Bianco aveva la posizione migliore.",
  "The game was drawn where you had the better position.":
    "La partita è finita patta quando avevi la posizione migliore.",
  "The game was drawn where Black had a won position.":
    "La partita è finita patta quando il Nero aveva una posizione vinta.",
  "The game was drawn where White had a won position.":
    "La partita è finita patta quando il Bianco aveva una posizione vinta.",
  "The game was drawn where you had a won position.": "La partita è finita patta quando avevi una posizione vinta.",
  "The game was drawn.": "La partita è finita patta.",
  "The record breaks off before the end of the game.": "La registrazione si interrompe prima della fine della partita.",
  "The game was drawn by repetition where Black had the better position.":
    "La partita è finita patta per ripetizione quando il Nero aveva la posizione migliore.",
  "The game was drawn by repetition where White had the better position.":
    "La partita è finita patta per ripetizione quando il Bianco aveva la posizione migliore.",
  "The game was drawn by repetition where you had the better position.":
    "La partita è finita patta per ripetizione quando avevi la posizione migliore.",
  "The game was drawn by repetition where Black had a won position.":
    "La partita è finita patta per ripetizione quando il Nero aveva una posizione vinta.",
  "The game was drawn by repetition where White had a won position.":
    "La partita è finita patta per ripetizione quando il Bianco aveva una posizione vinta.",
  "The game was drawn by repetition where you had a won position.":
    "La partita è finita patta per ripetizione quando avevi una posizione vinta.",
  "The game was drawn by repetition.": "La partita è finita patta per ripetizione.",
  "The game was drawn for lack of progress where Black had the better position.":
    "La partita è finita patta per mancanza di progressi quando il Nero aveva la posizione migliore.",
  "The game was drawn for lack of progress where White had the better position.":
    "La partita è finita patta per mancanza di progressi quando il Bianco aveva la posizione migliore.",
  "The game was drawn for lack of progress where you had the better position.":
    "La partita è finita patta per mancanza di progressi quando avevi la posizione migliore.",
  "The game was drawn for lack of progress where Black had a won position.":
    "La partita è finita patta per mancanza di progressi quando il Nero aveva una posizione vinta.",
  "The game was drawn for lack of progress where White had a won position.":
    "La partita è finita patta per mancanza di progressi quando il Bianco aveva una posizione vinta.",
  "The game was drawn for lack of progress where you had a won position.":
    "La partita è finita patta per mancanza di progressi quando avevi una posizione vinta.",
  "The game was drawn for lack of progress.": "La partita è finita patta per mancanza di progressi.",
  "The game is not finished; the position is even.": "La partita non è finita; la posizione è pari.",
  "The game is not finished; the position is drawn.": "La partita non è finita; la posizione è patta.",
  "The game is not finished; Black had the better position.":
    "La partita non è finita; il Nero aveva la posizione migliore.",
  "The game is not finished; White had the better position.":
    "La partita non è finita; il Bianco aveva la posizione migliore.",
  "The game is not finished; you had the better position.": "La partita non è finita; avevi la posizione migliore.",
  "The game is not finished; Black had a won position.": "La partita non è finita; il Nero aveva una posizione vinta.",
  "The game is not finished; White had a won position.":
    "La partita non è finita; il Bianco aveva una posizione vinta.",
  "The game is not finished; you had a won position.": "La partita non è finita; avevi una posizione vinta.",
  "The game is not finished.": "La partita non è finita.",
  "{better} would have won.": "{better} avrebbe vinto.",
  "{better} would have kept the better position.": "{better} avrebbe conservato la posizione migliore.",
  "{better} would have kept the balance.": "{better} avrebbe conservato la parità.",
  "{better} would have drawn.": "{better} avrebbe pattato.",
  "{better} would have held out.": "{better} avrebbe resistito.",
  "Black had no move left.": "Il Nero non aveva più mosse.",
  "White had no move left.": "Il Bianco non aveva più mosse.",
  "You had no move left.": "Non avevi più mosse.",
  "Black had no piece left.": "Il Nero non aveva più pezzi.",
  "White had no piece left.": "Il Bianco non aveva più pezzi.",
  "You had no piece left.": "Non avevi più pezzi.",
  "The game was adjudicated as lost for Black.": "La partita è stata giudicata persa per il Nero.",
  "The game was adjudicated as lost for White.": "La partita è stata giudicata persa per il Bianco.",
  "The game was adjudicated as lost for you.": "La partita è stata giudicata persa per te.",
  "The game was adjudicated as a draw.": "La partita è stata giudicata patta.",
  "The game was counted as lost for both players.": "La partita è contata come persa per entrambi i giocatori.",
  "The game turned {count} times; these turns were the last.":
    "La partita è cambiata {count} volte; queste svolte sono le ultime.",
  "No single move lost the game: Black gave it away little by little, most at {move}.":
    "Nessuna mossa da sola ha perso la partita: il Nero l'ha ceduta poco a poco, soprattutto con {move}.",
  "No single move lost the game: White gave it away little by little, most at {move}.":
    "Nessuna mossa da sola ha perso la partita: il Bianco l'ha ceduta poco a poco, soprattutto con {move}.",
  "No single move lost the game: you gave it away little by little, most at {move}.":
    "Nessuna mossa da sola ha perso la partita: l'hai ceduta poco a poco, soprattutto con {move}.",
  "On the board nothing was lost yet.": "Sulla damiera nulla era ancora perso.",
  "Neither side ever came close to a win.": "Nessuno è mai stato vicino alla vittoria.",
  "Black came closest to a win, after {move}.": "Il Nero è andato più vicino alla vittoria, dopo {move}.",
  "White came closest to a win, after {move}.": "Il Bianco è andato più vicino alla vittoria, dopo {move}.",
  "You came closest to a win, after {move}.": "Tu sei andato più vicino alla vittoria, dopo {move}.",
  "Black left the book with {move}: {better} is {men} better.":
    "Il Nero è uscito dal libro con {move}: {better} è migliore di {men}.",
  "White left the book with {move}: {better} is {men} better.":
    "Il Bianco è uscito dal libro con {move}: {better} è migliore di {men}.",
  "You left the book with {move}: {better} is {men} better.":
    "Sei uscito dal libro con {move}: {better} è migliore di {men}.",
  "Black left the book with {move}: it plays {better}.":
    "Il Nero è uscito dal libro con {move}: il libro gioca {better}.",
  "White left the book with {move}: it plays {better}.":
    "Il Bianco è uscito dal libro con {move}: il libro gioca {better}.",
  "You left the book with {move}: it plays {better}.": "Sei uscito dal libro con {move}: il libro gioca {better}.",
  "Black lost the game at {move}.": "Il Nero ha perso la partita con {move}.",
  "White lost the game at {move}.": "Il Bianco ha perso la partita con {move}.",
  "You lost the game at {move}.": "Hai perso la partita con {move}.",
  "Black lost the game at {move}, a trap into which {percent} of 100 people fall.":
    "Il Nero ha perso la partita con {move}, una trappola in cui cadono {percent} persone su 100.",
  "White lost the game at {move}, a trap into which {percent} of 100 people fall.":
    "Il Bianco ha perso la partita con {move}, una trappola in cui cadono {percent} persone su 100.",
  "You lost the game at {move}, a trap into which {percent} of 100 people fall.":
    "Hai perso la partita con {move}, una trappola in cui cadono {percent} persone su 100.",
  "Black lost the game at {move}, an oversight that fewer than {percent} of 100 people make.":
    "Il Nero ha perso la partita con {move}, una svista che fanno meno di {percent} persone su 100.",
  "White lost the game at {move}, an oversight that fewer than {percent} of 100 people make.":
    "Il Bianco ha perso la partita con {move}, una svista che fanno meno di {percent} persone su 100.",
  "You lost the game at {move}, an oversight that fewer than {percent} of 100 people make.":
    "Hai perso la partita con {move}, una svista che fanno meno di {percent} persone su 100.",
  "Black lost the game at {move}, an oversight that hardly anyone makes.":
    "Il Nero ha perso la partita con {move}, una svista che quasi nessuno fa.",
  "White lost the game at {move}, an oversight that hardly anyone makes.":
    "Il Bianco ha perso la partita con {move}, una svista che quasi nessuno fa.",
  "You lost the game at {move}, an oversight that hardly anyone makes.":
    "Hai perso la partita con {move}, una svista che quasi nessuno fa.",
  "Black came into a lost position at {move}.": "Il Nero è finito in posizione persa con {move}.",
  "White came into a lost position at {move}.": "Il Bianco è finito in posizione persa con {move}.",
  "You came into a lost position at {move}.": "Sei finito in posizione persa con {move}.",
  "Black came into a lost position at {move}, a trap into which {percent} of 100 people fall.":
    "Il Nero è finito in posizione persa con {move}, una trappola in cui cadono {percent} persone su 100.",
  "White came into a lost position at {move}, a trap into which {percent} of 100 people fall.":
    "Il Bianco è finito in posizione persa con {move}, una trappola in cui cadono {percent} persone su 100.",
  "You came into a lost position at {move}, a trap into which {percent} of 100 people fall.":
    "Sei finito in posizione persa con {move}, una trappola in cui cadono {percent} persone su 100.",
  "Black came into a lost position at {move}, an oversight that fewer than {percent} of 100 people make.":
    "Il Nero è finito in posizione persa con {move}, una svista che fanno meno di {percent} persone su 100.",
  "White came into a lost position at {move}, an oversight that fewer than {percent} of 100 people make.":
    "Il Bianco è finito in posizione persa con {move}, una svista che fanno meno di {percent} persone su 100.",
  "You came into a lost position at {move}, an oversight that fewer than {percent} of 100 people make.":
    "Sei finito in posizione persa con {move}, una svista che fanno meno di {percent} persone su 100.",
  "Black came into a lost position at {move}, an oversight that hardly anyone makes.":
    "Il Nero è finito in posizione persa con {move}, una svista che quasi nessuno fa.",
  "White came into a lost position at {move}, an oversight that hardly anyone makes.":
    "Il Bianco è finito in posizione persa con {move}, una svista che quasi nessuno fa.",
  "You came into a lost position at {move}, an oversight that hardly anyone makes.":
    "Sei finito in posizione persa con {move}, una svista che quasi nessuno fa.",
  "Black had a won position and let it slip at {move}.":
    "Il Nero aveva una posizione vinta e l'ha lasciata sfuggire con {move}.",
  "White had a won position and let it slip at {move}.":
    "Il Bianco aveva una posizione vinta e l'ha lasciata sfuggire con {move}.",
  "You had a won position and let it slip at {move}.":
    "Avevi una posizione vinta e l'hai lasciata sfuggire con {move}.",
  "Black had a won position and let it slip at {move}, a trap into which {percent} of 100 people fall.":
    "Il Nero aveva una posizione vinta e l'ha lasciata sfuggire con {move}, una trappola in cui cadono {percent} persone su 100.",
  "White had a won position and let it slip at {move}, a trap into which {percent} of 100 people fall.":
    "Il Bianco aveva una posizione vinta e l'ha lasciata sfuggire con {move}, una trappola in cui cadono {percent} persone su 100.",
  "You had a won position and let it slip at {move}, a trap into which {percent} of 100 people fall.":
    "Avevi una posizione vinta e l'hai lasciata sfuggire con {move}, una trappola in cui cadono {percent} persone su 100.",
  "Black had a won position and let it slip at {move}, an oversight that fewer than {percent} of 100 people make.":
    "Il Nero aveva una posizione vinta e l'ha lasciata sfuggire con {move}, una svista che fanno meno di {percent} persone su 100.",
  "White had a won position and let it slip at {move}, an oversight that fewer than {percent} of 100 people make.":
    "Il Bianco aveva una posizione vinta e l'ha lasciata sfuggire con {move}, una svista che fanno meno di {percent} persone su 100.",
  "You had a won position and let it slip at {move}, an oversight that fewer than {percent} of 100 people make.":
    "Avevi una posizione vinta e l'hai lasciata sfuggire con {move}, una svista che fanno meno di {percent} persone su 100.",
  "Black had a won position and let it slip at {move}, an oversight that hardly anyone makes.":
    "Il Nero aveva una posizione vinta e l'ha lasciata sfuggire con {move}, una svista che quasi nessuno fa.",
  "White had a won position and let it slip at {move}, an oversight that hardly anyone makes.":
    "Il Bianco aveva una posizione vinta e l'ha lasciata sfuggire con {move}, una svista che quasi nessuno fa.",
  "You had a won position and let it slip at {move}, an oversight that hardly anyone makes.":
    "Avevi una posizione vinta e l'hai lasciata sfuggire con {move}, una svista che quasi nessuno fa.",
  "Black turned a won position into a lost one at {move}.":
    "Il Nero ha trasformato una posizione vinta in una persa con {move}.",
  "White turned a won position into a lost one at {move}.":
    "Il Bianco ha trasformato una posizione vinta in una persa con {move}.",
  "You turned a won position into a lost one at {move}.":
    "Hai trasformato una posizione vinta in una persa con {move}.",
  "Black turned a won position into a lost one at {move}, a trap into which {percent} of 100 people fall.":
    "Il Nero ha trasformato una posizione vinta in una persa con {move}, una trappola in cui cadono {percent} persone su 100.",
  "White turned a won position into a lost one at {move}, a trap into which {percent} of 100 people fall.":
    "Il Bianco ha trasformato una posizione vinta in una persa con {move}, una trappola in cui cadono {percent} persone su 100.",
  "You turned a won position into a lost one at {move}, a trap into which {percent} of 100 people fall.":
    "Hai trasformato una posizione vinta in una persa con {move}, una trappola in cui cadono {percent} persone su 100.",
  "Black turned a won position into a lost one at {move}, an oversight that fewer than {percent} of 100 people make.":
    "Il Nero ha trasformato una posizione vinta in una persa con {move}, una svista che fanno meno di {percent} persone su 100.",
  "White turned a won position into a lost one at {move}, an oversight that fewer than {percent} of 100 people make.":
    "Il Bianco ha trasformato una posizione vinta in una persa con {move}, una svista che fanno meno di {percent} persone su 100.",
  "You turned a won position into a lost one at {move}, an oversight that fewer than {percent} of 100 people make.":
    "Hai trasformato una posizione vinta in una persa con {move}, una svista che fanno meno di {percent} persone su 100.",
  "Black turned a won position into a lost one at {move}, an oversight that hardly anyone makes.":
    "Il Nero ha trasformato una posizione vinta in una persa con {move}, una svista che quasi nessuno fa.",
  "White turned a won position into a lost one at {move}, an oversight that hardly anyone makes.":
    "Il Bianco ha trasformato una posizione vinta in una persa con {move}, una svista che quasi nessuno fa.",
  "You turned a won position into a lost one at {move}, an oversight that hardly anyone makes.":
    "Hai trasformato una posizione vinta in una persa con {move}, una svista che quasi nessuno fa.",
  "round {number}": "turno {number}",
  Notes: "Note",
  "No move is marked.": "Nessuna mossa ha un segno.",
  "Annotated by {signature}.": "Annotata da {signature}.",
  "A mark shows that a move gave away part of the expected result, where a win counts 1 and a draw ½: at least {inaccuracy} for ?!, {mistake} for ?, {blunder} for ??.":
    "Un segno mostra che una mossa ha regalato parte del risultato atteso, dove una vittoria vale 1 e una patta ½: almeno {inaccuracy} per ?!, {mistake} per ?, {blunder} per ??.",
  "Loss is the mean over all judged moves. The graph changes by the loss only at marked moves; a hollow point and a thin line are what only one search has seen. Best: moves as good as any other. Unmarked: moves that gave away less.":
    "La perdita è la media su tutte le mosse giudicate. Il grafico cambia della perdita solo alle mosse segnate; un punto vuoto e una linea sottile sono ciò che ha visto un solo calcolo. Migliori: le mosse buone quanto ogni altra. Senza segno: le mosse che hanno regalato di meno.",
};
