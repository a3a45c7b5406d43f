import { list } from './random.ts';

export const firstNames = list(
  `Aaliyah Aaron Abigail Adriana Ahmed Alejandro Alice Amara Amir Ana Andre Angela Anh Anthony Beatriz Benjamin Bianca
  Brandon Brianna Caleb Camila Carlos Carmen Chloé Christopher Daniel Danielle David Deepa Diego Dmitri Elena Eli Elijah
  Emily Emma Ethan Fatima Fernando Gabriela Grace Hannah Hana Hector Imani Isabella Jamal James Jasmine Javier Jin Joanna
  Jordan José Joshua Julia Kavya Keisha Kenji Kevin Laila Laura Leah Leila Liam Linh Lucas Lucía Luis Madison Malik María
  Marcus Maya Mei Megan Michael Minh Monique Nadia Natalie Nathan Noah Nora Olivia Omar Paula Peter Priya Rachel Rafael
  Raj Rebecca Renée Rosa Ruth Ryan Samantha Samuel Sara Sergio Siobhán Sofía Stephanie Tamara Thomas Tiffany Tyrone
  Valentina Victor Vivian Wei Xavier Yara Yusuf Zoë`,
  /\s+/,
);

export const lastNames = list(
  `Abbott Adeyemi Ahmed Allen Alvarez Anderson Bailey Baker Barnes Bennett Boateng Brooks Brown Bryant Byrne Campbell
  Carter Castillo Chavez Chen Cho Clark Coleman Collins Cooper Cruz Cunningham Davis Delgado Desai Diaz Edwards Evans
  Fischer Flores Foster Garcia Gomez Gonzalez Grant Gray Green Gupta Gutierrez Hall Hansen Harris Hassan Henderson
  Hernandez Hill Hoang Howard Hughes Ibrahim Jackson Jenkins Johnson Jones Kaur Kelly Khan Kim King Kowalski Kumar Larsen
  Lee Lewis Lin Long Lopez Martin Martinez Mbeki McCarthy Mendoza Miller Mitchell Moore Morales Morgan Morris Müller
  Murphy Murray Nakamura Nelson Nguyen Novak O'Brien O'Connor Okafor Ortiz Owens Park Parker Patel Patterson Perez Perry
  Peterson Pham Phillips Powell Price Ramirez Ramos Reed Reyes Reynolds Richardson Rivera Roberts Robinson Rodriguez
  Rogers Rosen Ross Ruiz Russo Sanchez Sanders Sandoval Santos Scott Shah Silva Simmons Singh Smith Sullivan Suzuki
  Taylor Thomas Thompson Torres Tran Turner Vargas Walker Wallace Ward Washington Watson White Williams Wilson Wong Wood
  Wright Yamamoto Yang Young Zhang`,
  /\s+/,
);

export const officePrefixes = list(
  `Bright, Lakeside, Maple, Riverview, Summit, Harbor, Oakwood, Sunrise, Cornerstone, Evergreen, Family First, Gentle,
  Heritage, Parkside, Union Street, Willow`,
);

export const officeSuffixes = list(
  `Dental, Dental Care, Dental Group, Dentistry, Family Dentistry, Smiles, Dental Studio, Dental Associates`,
);

export const streets = list(
  `Main St, Oak Ave, Park Ave, Washington St, Lincoln Blvd, Maple Dr, Market St, 2nd Ave, Church St, Cedar Ln`,
);
