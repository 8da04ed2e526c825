// Keeps each slider and the number beside it equal. Without this module people type the numbers.

for (const slider of document.querySelectorAll("input[type=range][data-of]")) {
  const number = document.getElementById(slider.dataset.of);
  slider.addEventListener("input", () => {
    number.value = slider.value;
  });
  number.addEventListener("input", () => {
    slider.value = number.value.replace(",", ".");
  });
}
