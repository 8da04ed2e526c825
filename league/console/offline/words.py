"""The sentences of the modules that record without a connection. They fill in what stands in braces."""

from league.domain.sentences import say

SENTENCES = {
    # The state of the line.
    "copy": say("No connection. This page is as it was at {time}. You can go on recording."),
    "away": say("No connection. You can go on recording."),
    "ready": say("This device can record without a connection: {count} open matches are on it."),
    # What has not been sent.
    "unsent": say("Not sent yet: {count}"),
    "waits": say(
        "It is kept on this device and sent by itself when there is a connection; the score is computed then. You may "
        "close this page."
    ),
    "earlier": say("Before it: {count}"),
    "sending": say("Sending …"),
    "busy": say("Too many requests came from here. The rest is sent by itself in a minute."),
    "sent": say("Sent: {count}. All of it is stored."),
    "signed_out": say("Sign in to send it. Nothing is lost."),
    "sign_in": say("Sign in"),
    "of_another": say(
        "Not sent yet, recorded on this device by {person}: {count}. It is sent when {person} signs in here."
    ),
    "other_person": say("Somebody else is signed in now. Nothing was stored."),
    "adopt": say("Send it under my name"),
    # One entry.
    "hand": say("Hand {number}"),
    "not_sent": say("not sent yet"),
    "refused": say("not stored"),
    "change": say("Change it"),
    "take_back": say("Take back"),
    "take_back_sure": say("Yes, take it back"),
    # What the server refused.
    "decide": say("Something was not stored. Decide what becomes of it; what follows it waits."),
    "why": say("The league did not store this: {reason}"),
    "taken": say("Hand {number} has been recorded already, on another device. Compare the two."),
    "over": say("The match is over by now, so this hand was not stored."),
    "voided": say("The match was voided in the meantime."),
    "stored_now": say("What is stored now"),
    "as_next": say("It is another hand: send it as hand {number}"),
    "correct_stored": say("Correct the stored hand with it"),
    "drop": say("It is the same hand: drop mine"),
    "again": say("Send it again"),
    "with_now": say("Send it with the present time"),
    # A form.
    "editing": say("You are changing {title}, which has not been sent yet."),
    "gone": say("This has been sent in the meantime. Correct it as a stored hand."),
    "correcting_with": say("The form has your hand. Say the reason and store the correction."),
    "say_ending": say("Say how the hand ended."),
    "say_winner": say("Say who went out, or at least which side has won."),
    "not_a_number": say("Write a whole number, such as 35."),
    "not_a_tile": say("Write the tile as 6-3."),
    "not_kept": say("This device could not keep it. Stay on this page and send it again."),
}
