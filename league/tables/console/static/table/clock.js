// The clock of the table: a bar that shrinks smoothly, and the remaining seconds.

const WARNING = 10;

export class Clock {
  constructor(place, warn) {
    Object.assign(this, { place, warn, until: null, key: null, timer: null, running: null });
    this.bar = place.querySelector(".clock-rest");
    this.text = place.querySelector(".clock-seconds");
  }

  /** Counts down for `left` milliseconds, out of `whole`. `key` names the countdown; `warns`: it says when little is left. */
  show(key, left, whole, warns) {
    if (key === this.key) return;
    this.hide();
    this.key = key;
    this.until = performance.now() + left;
    this.warns = warns;
    this.isWarned = !warns || left < WARNING * 1000;
    this.place.hidden = false;
    const from = Math.min(1, left / Math.max(whole, 1));
    this.running = this.bar.animate([{ transform: `scaleX(${from})` }, { transform: "scaleX(0)" }], { duration: Math.max(left, 1), fill: "forwards" });
    this.timer = setInterval(() => this.tick(), 200);
    this.tick();
  }

  hide() {
    clearInterval(this.timer);
    this.running?.cancel();
    Object.assign(this, { key: null, running: null });
    this.place.hidden = true;
    this.place.classList.remove("late");
  }

  tick() {
    const seconds = Math.max(0, Math.ceil((this.until - performance.now()) / 1000));
    this.text.textContent = seconds;
    this.place.classList.toggle("late", this.warns && seconds <= WARNING);
    if (seconds <= WARNING && !this.isWarned) {
      this.isWarned = true;
      this.warn(seconds);
    }
  }
}
