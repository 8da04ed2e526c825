"""What players say to each other at a live table: a catalogue, in Spanish and English (Cuban text, Playful Banter)."""

from typing import Literal, NamedTuple

Language = Literal["es", "en"]


class Phrase(NamedTuple):
    """A phrase in both languages."""

    es: str
    en: str


PHRASES: dict[str, Phrase] = {
    "hello": Phrase("¡Buenas, familia!", "Hello, family!"),
    "give-water": Phrase("¡Dale agua al dominó!", "Give the dominoes some water!"),
    "throw-the-fat-one": Phrase("¡Bota la gorda!", "Throw away the fat one!"),
    "good-one": Phrase("¡Buena esa!", "Good one!"),
    "i-am-out": Phrase("¡Me pegué!", "And out I go!"),
    "knock-knock": Phrase("Toc, toc: ¿quién pasa?", "Knock, knock: who passes?"),
    "take-a-walk": Phrase("Date un paseíto.", "Take a little walk."),
    "smells-of-block": Phrase("Esto huele a tranque.", "I smell a block."),
    "block-it": Phrase("¡Tranca y cuenta!", "Block it and count!"),
    "capicua": Phrase("¡Capicúa, caballeros!", "Capicúa, my friends!"),
    "pollona": Phrase("Van derechito a la pollona.", "You are on the straight road to a pollona."),
    "pack-your-bags": Phrase("Haz la maleta, que viene la viajera.", "Pack your bags: the viajera is coming."),
    "ate-the-salida": Phrase("¡Te comiste la salida, compay!", "You ate the salida, my friend!"),
    "coffee-gets-cold": Phrase("Se enfría el café…", "The coffee is getting cold…"),
    "grandmother": Phrase("Mi abuela juega más rápido.", "My grandmother plays faster."),
    "is-it-asleep": Phrase("¿Esa ficha duerme, o la tienes tú?", "Is that tile asleep, or do you hold it?"),
    "i-count": Phrase("Las tengo todas contadas.", "I have counted every one of them."),
    "luck-and-science": Phrase("Lo tuyo es suerte; lo mío, ciencia.", "Yours is luck. Mine is science."),
    "free-lesson": Phrase("La clase de hoy es gratis.", "Today's lesson is free."),
    "on-fire": Phrase("¡Esto está que arde!", "This is on fire!"),
    "not-over-yet": Phrase("Todavía no has visto nada.", "You have not seen anything yet."),
    "who-shuffled": Phrase("¿Quién barajó esto?", "Who shuffled this?"),
    "my-respects": Phrase("Mis respetos, maestro.", "My respects, maestro."),
    "another": Phrase("¡Otra, otra!", "Another one!"),
    "thanks": Phrase("Gracias por el juego.", "Thanks for the game."),
}
"""By key. A key stays when its texts are improved; clients send keys."""
